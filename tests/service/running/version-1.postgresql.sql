-- PostgreSQL: `pg_dump --inserts --no-owner` of such a database, without comments.
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.leases (
    study integer NOT NULL,
    play integer NOT NULL,
    until double precision NOT NULL
);
CREATE TABLE public.records (
    study integer NOT NULL,
    seq integer NOT NULL,
    record text NOT NULL,
    crc bigint NOT NULL
);
CREATE TABLE public.replies (
    study integer NOT NULL,
    who character varying(200) NOT NULL,
    key character varying(200) NOT NULL,
    digest character varying(64) NOT NULL,
    status integer NOT NULL,
    reply text NOT NULL
);
CREATE TABLE public.sessions (
    hash character varying(64) NOT NULL,
    token character varying(64) NOT NULL,
    until double precision NOT NULL
);
CREATE TABLE public.studies (
    id integer NOT NULL,
    name character varying(200) NOT NULL
);
CREATE SEQUENCE public.studies_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.studies_id_seq OWNED BY public.studies.id;
CREATE TABLE public.tokens (
    name character varying(200) NOT NULL,
    role character varying(20) NOT NULL,
    study character varying(200),
    hash character varying(64) NOT NULL,
    made double precision NOT NULL,
    seen double precision
);
CREATE TABLE public.unswayed (
    version integer NOT NULL
);
ALTER TABLE ONLY public.studies ALTER COLUMN id SET DEFAULT nextval('public.studies_id_seq'::regclass);
INSERT INTO public.leases VALUES (1, 23, 1795123857.735662);
INSERT INTO public.leases VALUES (1, 24, 1795123857.735662);
INSERT INTO public.records VALUES (1, 1, '{"kind": "study", "space": {"space": "box", "parameters": [{"name": "temperature", "type": "real", "low": 60.0, "high": 120.0, "log": false, "unit": "\u00b0C", "step": 0.5}, {"name": "solvent", "type": "categorical", "choices": ["water", "ethanol", "acetone"]}]}, "settings": {"threat": {"total": 0.0, "lies": 0, "liars": 1, "low": 0.0, "high": 1.0}, "kernel": null, "noise_std": null, "output_scale": null, "level": null, "norm_bound": null, "delta": 0.05, "plays": 40, "method": "auto", "minimize": false, "parallel": null, "seed": 3, "note": null, "quarantined": []}, "at": 1795123845.922}', 1613484293);
INSERT INTO public.records VALUES (2, 1, '{"kind": "study", "space": {"space": "options", "labels": ["a", "b", "c", "d"]}, "settings": {"threat": null, "kernel": null, "noise_std": null, "output_scale": null, "level": null, "norm_bound": null, "delta": 0.05, "plays": null, "method": "auto", "minimize": true, "parallel": 1, "seed": 1, "note": null, "quarantined": []}, "at": 1795123845.988}', 3519454478);
INSERT INTO public.records VALUES (1, 2, '{"kind": "ask", "play": 0, "point": {"temperature": 109.0, "solvent": "water"}, "why": "start", "source": "lab-1", "at": 1795123848.024}', 3899061890);
INSERT INTO public.records VALUES (1, 3, '{"kind": "tell", "play": 0, "value": 0.719722, "source": "lab-1", "at": 1795123848.05}', 2962551763);
INSERT INTO public.records VALUES (1, 4, '{"kind": "ask", "play": 1, "point": {"temperature": 78.5, "solvent": "ethanol"}, "why": "start", "source": "lab-2", "at": 1795123848.079}', 4180312022);
INSERT INTO public.records VALUES (1, 5, '{"kind": "tell", "play": 1, "value": 0.859375, "source": "lab-2", "at": 1795123848.094}', 1752930703);
INSERT INTO public.records VALUES (1, 6, '{"kind": "ask", "play": 2, "point": {"temperature": 63.5, "solvent": "ethanol"}, "why": "start", "source": "Lab drei", "at": 1795123848.115}', 2568684501);
INSERT INTO public.records VALUES (1, 7, '{"kind": "tell", "play": 2, "value": 0.874375, "source": "Lab drei", "at": 1795123848.117}', 1642255638);
INSERT INTO public.records VALUES (1, 8, '{"kind": "ask", "play": 3, "point": {"temperature": 60.0, "solvent": "acetone"}, "why": "explore", "source": "lab-1", "at": 1795123848.205}', 242401460);
INSERT INTO public.records VALUES (1, 9, '{"kind": "tell", "play": 3, "value": 0.615556, "source": "lab-1", "at": 1795123848.225}', 1645572553);
INSERT INTO public.records VALUES (1, 10, '{"kind": "ask", "play": 4, "point": {"temperature": 120.0, "solvent": "ethanol"}, "why": "explore", "source": "lab-2", "at": 1795123848.293}', 2862005503);
INSERT INTO public.records VALUES (1, 11, '{"kind": "tell", "play": 4, "value": 0.692222, "source": "lab-2", "at": 1795123848.306}', 3611437570);
INSERT INTO public.records VALUES (1, 12, '{"kind": "ask", "play": 5, "point": {"temperature": 69.5, "solvent": "ethanol"}, "why": "explore", "source": "Lab drei", "at": 1795123848.371}', 1707548341);
INSERT INTO public.records VALUES (1, 13, '{"kind": "tell", "play": 5, "value": 0.959375, "source": "Lab drei", "at": 1795123848.382}', 1830889822);
INSERT INTO public.records VALUES (1, 14, '{"kind": "ask", "play": 6, "point": {"temperature": 60.0, "solvent": "water"}, "why": "explore", "source": "lab-1", "at": 1795123848.522}', 250878756);
INSERT INTO public.records VALUES (1, 15, '{"kind": "tell", "play": 6, "value": 0.515556, "source": "lab-1", "at": 1795123848.616}', 299021564);
INSERT INTO public.records VALUES (1, 16, '{"kind": "ask", "play": 7, "point": {"temperature": 120.0, "solvent": "acetone"}, "why": "explore", "source": "lab-2", "at": 1795123848.777}', 3157268038);
INSERT INTO public.records VALUES (1, 17, '{"kind": "tell", "play": 7, "value": 0.692222, "source": "lab-2", "at": 1795123848.826}', 4033800710);
INSERT INTO public.records VALUES (1, 18, '{"kind": "ask", "play": 8, "point": {"temperature": 60.0, "solvent": "ethanol"}, "why": "explore", "source": "Lab drei", "at": 1795123848.976}', 2262554462);
INSERT INTO public.records VALUES (1, 19, '{"kind": "tell", "play": 8, "value": 0.815556, "source": "Lab drei", "at": 1795123849.0}', 1646080571);
INSERT INTO public.records VALUES (1, 20, '{"kind": "ask", "play": 9, "point": {"temperature": 71.5, "solvent": "ethanol"}, "why": "explore", "source": "lab-1", "at": 1795123849.156}', 2628316984);
INSERT INTO public.records VALUES (1, 21, '{"kind": "tell", "play": 9, "value": 0.783264, "source": "lab-1", "at": 1795123849.196}', 3554655259);
INSERT INTO public.records VALUES (1, 22, '{"kind": "ask", "play": 10, "point": {"temperature": 84.5, "solvent": "ethanol"}, "why": "explore", "source": "lab-2", "at": 1795123849.368}', 3536901400);
INSERT INTO public.records VALUES (1, 23, '{"kind": "fail", "play": 10, "reason": "the flask broke", "at": 1795123849.412}', 3042748980);
INSERT INTO public.records VALUES (1, 24, '{"kind": "ask", "play": 11, "point": {"temperature": 80.0, "solvent": "ethanol"}, "why": "exploit", "source": "Lab drei", "at": 1795123849.488}', 1323936223);
INSERT INTO public.records VALUES (1, 25, '{"kind": "tell", "play": 11, "value": 1.06, "source": "Lab drei", "at": 1795123849.513}', 2884007224);
INSERT INTO public.records VALUES (1, 26, '{"kind": "ask", "play": 12, "point": {"temperature": 77.0, "solvent": "ethanol"}, "why": "exploit", "source": "lab-1", "at": 1795123849.877}', 1279117692);
INSERT INTO public.records VALUES (1, 27, '{"kind": "tell", "play": 12, "value": 0.8375, "source": "lab-1", "at": 1795123849.944}', 3498901821);
INSERT INTO public.records VALUES (1, 28, '{"kind": "ask", "play": 13, "point": {"temperature": 95.0, "solvent": "acetone"}, "why": "explore", "source": "lab-2", "at": 1795123850.108}', 216378114);
INSERT INTO public.records VALUES (1, 29, '{"kind": "tell", "play": 13, "value": 0.9075, "source": "lab-2", "at": 1795123850.118}', 2988545842);
INSERT INTO public.records VALUES (1, 30, '{"kind": "ask", "play": 14, "point": {"temperature": 95.0, "solvent": "acetone"}, "why": "verify", "source": "Lab drei", "at": 1795123850.516}', 598383365);
INSERT INTO public.records VALUES (1, 31, '{"kind": "tell", "play": 14, "value": 1.0975, "source": "Lab drei", "at": 1795123850.538}', 3692582323);
INSERT INTO public.records VALUES (1, 32, '{"kind": "ask", "play": 15, "point": {"temperature": 89.0, "solvent": "acetone"}, "why": "exploit", "source": "lab-1", "at": 1795123850.69}', 3131595070);
INSERT INTO public.records VALUES (1, 33, '{"kind": "tell", "play": 15, "value": 0.8975, "source": "lab-1", "at": 1795123850.745}', 3909600972);
INSERT INTO public.records VALUES (1, 34, '{"kind": "ask", "play": 16, "point": {"temperature": 92.5, "solvent": "acetone"}, "why": "exploit", "source": "lab-2", "at": 1795123850.921}', 1000936894);
INSERT INTO public.records VALUES (1, 35, '{"kind": "tell", "play": 16, "value": 0.909931, "source": "lab-2", "at": 1795123850.972}', 3580039174);
INSERT INTO public.records VALUES (1, 36, '{"kind": "ask", "play": 17, "point": {"temperature": 90.5, "solvent": "water"}, "why": "explore", "source": "Lab drei", "at": 1795123851.089}', 227522782);
INSERT INTO public.records VALUES (1, 37, '{"kind": "tell", "play": 17, "value": 0.999375, "source": "Lab drei", "at": 1795123851.11}', 2390944898);
INSERT INTO public.records VALUES (1, 38, '{"kind": "ask", "play": 18, "point": {"temperature": 90.5, "solvent": "water"}, "why": "verify", "source": "lab-1", "at": 1795123851.244}', 3858154243);
INSERT INTO public.records VALUES (1, 39, '{"kind": "tell", "play": 18, "value": 0.799375, "source": "lab-1", "at": 1795123851.264}', 2356756691);
INSERT INTO public.records VALUES (1, 40, '{"kind": "ask", "play": 19, "point": {"temperature": 99.0, "solvent": "ethanol"}, "why": "explore", "source": "lab-2", "at": 1795123851.496}', 3590216060);
INSERT INTO public.records VALUES (1, 41, '{"kind": "tell", "play": 19, "value": 0.896389, "source": "lab-2", "at": 1795123851.501}', 790346259);
INSERT INTO public.records VALUES (1, 42, '{"kind": "ask", "play": 20, "point": {"temperature": 91.0, "solvent": "acetone"}, "why": "exploit", "source": "Lab drei", "at": 1795123851.68}', 2274868508);
INSERT INTO public.records VALUES (1, 43, '{"kind": "tell", "play": 20, "value": 1.099722, "source": "Lab drei", "at": 1795123851.728}', 1484508111);
INSERT INTO public.records VALUES (1, 44, '{"kind": "correct", "play": 0, "value": 0.5, "source": "lab-1", "reason": "a typo", "at": 1795123851.76}', 2403185439);
INSERT INTO public.records VALUES (1, 45, '{"kind": "retract", "play": 1, "reason": "not calibrated", "at": 1795123851.772}', 3794212128);
INSERT INTO public.records VALUES (1, 46, '{"kind": "retract", "play": 2, "reason": "x", "at": 1795123851.832}', 4043044425);
INSERT INTO public.records VALUES (1, 47, '{"kind": "restore", "play": 2, "at": 1795123851.895}', 118795575);
INSERT INTO public.records VALUES (1, 48, '{"kind": "change", "quarantined": ["Lab drei"], "at": 1795123851.932}', 381308535);
INSERT INTO public.records VALUES (1, 49, '{"kind": "add", "play": 21, "point": {"temperature": 80.0, "solvent": "water"}, "value": 0.6, "at": 1795123851.976}', 3783299232);
INSERT INTO public.records VALUES (1, 50, '{"kind": "ask", "play": 22, "point": {"temperature": 95.5, "solvent": "ethanol"}, "why": "exploit", "source": "lab-1", "at": 1795123852.951}', 3286111020);
INSERT INTO public.records VALUES (1, 51, '{"kind": "hand", "play": 22, "source": "lab-2", "at": 1795123855.528}', 1145538085);
INSERT INTO public.records VALUES (1, 52, '{"kind": "tell", "play": 22, "value": 0.7, "source": "lab-2", "at": 1795123855.582}', 612225175);
INSERT INTO public.records VALUES (1, 53, '{"kind": "late", "play": 22, "value": 0.4, "source": "lab-1", "at": 1795123855.639}', 3024963149);
INSERT INTO public.records VALUES (1, 54, '{"kind": "ask", "play": 23, "point": {"temperature": 91.0, "solvent": "acetone"}, "why": "explore", "source": "lab-1", "at": 1795123855.748}', 2599349788);
INSERT INTO public.records VALUES (1, 55, '{"kind": "ask", "play": 24, "point": {"temperature": 97.5, "solvent": "acetone"}, "why": "explore", "source": "lab-1", "at": 1795123855.748}', 3605860366);
INSERT INTO public.records VALUES (2, 2, '{"kind": "ask", "play": 0, "point": "a", "why": "start", "source": "owner", "at": 1795123855.856}', 1542317048);
INSERT INTO public.records VALUES (2, 3, '{"kind": "ask", "play": 1, "point": "b", "why": "start", "source": "owner", "at": 1795123855.856}', 1800326613);
INSERT INTO public.records VALUES (2, 4, '{"kind": "ask", "play": 2, "point": "c", "why": "start", "source": "owner", "at": 1795123855.856}', 1242307468);
INSERT INTO public.records VALUES (2, 5, '{"kind": "ask", "play": 3, "point": "d", "why": "start", "source": "owner", "at": 1795123855.856}', 1397020020);
INSERT INTO public.records VALUES (2, 6, '{"kind": "tell", "play": 0, "value": 0.0, "source": "owner", "at": 1795123855.884}', 1934043117);
INSERT INTO public.records VALUES (2, 7, '{"kind": "tell", "play": 1, "value": 0.1, "source": "owner", "at": 1795123855.96}', 2302880267);
INSERT INTO public.records VALUES (2, 8, '{"kind": "tell", "play": 2, "value": 0.2, "source": "owner", "at": 1795123855.972}', 1207248036);
INSERT INTO public.records VALUES (2, 9, '{"kind": "tell", "play": 3, "value": 0.30000000000000004, "source": "owner", "at": 1795123856.014}', 111803861);
INSERT INTO public.replies VALUES (1, 'lab-1', '4JhZGKdVBoR3K5E6hrDxjg', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 0, "point": {"temperature": 109.0, "solvent": "water"}, "lease_until": 1795123850.015891}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'RT_6p_F7IoAq2iK4wyaBYA', '1b05bf281474290e99c1a69c2f77cd63067248f869f1e446bc8f70c9fbc7cbb8', 200, '{"number": 0, "status": "told", "value": 0.719722}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'izEFPTALVXeOd5OB69wnmQ', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 1, "point": {"temperature": 78.5, "solvent": "ethanol"}, "lease_until": 1795123850.078802}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'xQSbB1pZA0K4eLdqjJEONA', '057f54290bb6b03f6d4d438d24e7a0e23ee21ad456c6a4d22913361a1f41cb48', 200, '{"number": 1, "status": "told", "value": 0.859375}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'C_8ViiYvm_XAcGQ4d5Yp-Q', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 2, "point": {"temperature": 63.5, "solvent": "ethanol"}, "lease_until": 1795123850.114317}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', '4CTDjZpgzXbg_sMuvu6w7g', '709061c478814d1ac06442d00f959c6456bc0ec0d1a05b3d48a2f2301df3584b', 200, '{"number": 2, "status": "told", "value": 0.874375}');
INSERT INTO public.replies VALUES (1, 'lab-1', '8nuqC2QRI22ldMsEHX2yJA', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 3, "point": {"temperature": 60.0, "solvent": "acetone"}, "lease_until": 1795123850.204515}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'RdCzmXHzKoES-d7PX_9uGQ', '6cde3315b8d48e4ea7098626812a4a33b8a515198002ae27465c539acc8f8b0d', 200, '{"number": 3, "status": "told", "value": 0.615556}');
INSERT INTO public.replies VALUES (1, 'lab-2', '4UJnBL3LE6JS0X_6dp5ffw', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 4, "point": {"temperature": 120.0, "solvent": "ethanol"}, "lease_until": 1795123850.293019}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'flkqUqPq_aCP9CFFzyRG_g', 'd5b38004c3548c0fe78df4362ff32b2c079b45e508885ba1d79d710d67ea4f4a', 200, '{"number": 4, "status": "told", "value": 0.692222}');
INSERT INTO public.replies VALUES (1, 'Lab drei', '-yI76eFD8k6BRUtgkpWKTA', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 5, "point": {"temperature": 69.5, "solvent": "ethanol"}, "lease_until": 1795123850.371225}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'av_BI6Q-Z_04cUUQP2tXRQ', '5f06ed62a499bf415a0d57802250e8becb6fe66dc72ba690af2b81ec45d02c57', 200, '{"number": 5, "status": "told", "value": 0.959375}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'FoyazIOc9qnWKTczDiEndg', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 6, "point": {"temperature": 60.0, "solvent": "water"}, "lease_until": 1795123850.5216}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'e99RDZtmhhl7DxliN7icig', 'a120cb2db77df09cd6334f8381903837e044c1b8dc855ea0b9c46c94f0167daf', 200, '{"number": 6, "status": "told", "value": 0.515556}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'ACIcuhEq6O-vWnVNyZQ8Lw', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 7, "point": {"temperature": 120.0, "solvent": "acetone"}, "lease_until": 1795123850.776265}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'uKv2LDx1GIgfmlyGOryK3g', '1947919405f0ddc5ba06e5783324d915af8cb3a3438f40cc11e2d6726a40ba69', 200, '{"number": 7, "status": "told", "value": 0.692222}');
INSERT INTO public.replies VALUES (1, 'Lab drei', '1WjVPgf2b68MWv6clVqUCg', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 8, "point": {"temperature": 60.0, "solvent": "ethanol"}, "lease_until": 1795123850.972283}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'ETuQOm8OAj8IbbAFKqDg2Q', '017a847acb24afd80d36565159f023d1947a62668166d3c9e607cc407051498c', 200, '{"number": 8, "status": "told", "value": 0.815556}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'OdJZzFgNLK9BObZ9YHeSUQ', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 9, "point": {"temperature": 71.5, "solvent": "ethanol"}, "lease_until": 1795123851.152714}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'JJLDNb16mv9B4m4N0QEOeQ', '2acab03983dd3d3ad8aef907125f3b8f7f35f1217771bc81a6808ffdb420cc13', 200, '{"number": 9, "status": "told", "value": 0.783264}');
INSERT INTO public.replies VALUES (1, 'lab-2', '87mEyikOYqezXYO5KKyPXw', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 10, "point": {"temperature": 84.5, "solvent": "ethanol"}, "lease_until": 1795123851.366241}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'F5330leHJr-IyFw6jYaLXw', '78cc98d41491cd9592c1df06e9208dbb10e4e03f1f7ae0dff1ff256ab5aa383e', 200, '{"number": 10, "status": "failed"}');
INSERT INTO public.replies VALUES (1, 'Lab drei', '_bqJY8MPlSuAtB5fjpYY0w', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 11, "point": {"temperature": 80.0, "solvent": "ethanol"}, "lease_until": 1795123851.48805}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'wB7XrCkwp5YSDKdujizf8w', '57b32c9c006302d7927a4ffa881fa4ea9fbb37227bbe997fe95a99e86ea61d6a', 200, '{"number": 11, "status": "told", "value": 1.06}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'dvQMqpLe9cUH-nkeBgnJ_g', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 12, "point": {"temperature": 77.0, "solvent": "ethanol"}, "lease_until": 1795123851.876313}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'fgPlBYnGd5qnHCXsi8b72Q', 'd2012252eba175ac23d94090dcff0aed68f586fd1bc661ed85d45c3cda2e398a', 200, '{"number": 12, "status": "told", "value": 0.8375}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'vcCpwUsipCkVRHPLleLc5Q', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 13, "point": {"temperature": 95.0, "solvent": "acetone"}, "lease_until": 1795123852.104311}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'frMlRNuZVkOWin3fR2sPjQ', '6d12541e035ead30081eef13d74e664abdb6352adb0432859c738e7bd0ad6662', 200, '{"number": 13, "status": "told", "value": 0.9075}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'EGQEoaUx0i_gR5_ODoxbVA', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 14, "point": {"temperature": 95.0, "solvent": "acetone"}, "lease_until": 1795123852.515884}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'ByOJrvQ-yiYXuqObMEGMvA', '4b16b248a4f4d748f6ea4868ca47af4587f04a8d5c79fd991389f71fc10aa441', 200, '{"number": 14, "status": "told", "value": 1.0975}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'gs7CNNc6enHAHvTqjRSV1w', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 15, "point": {"temperature": 89.0, "solvent": "acetone"}, "lease_until": 1795123852.689717}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'toUR2w9oH5RWGbtQezaD9A', '5cb3a132b022d7097e6f65784f432edc8ec384d8217df0521be1109e85ee3b4e', 200, '{"number": 15, "status": "told", "value": 0.8975}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'cRnKa2ihLzpk5WAntVP3kw', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 16, "point": {"temperature": 92.5, "solvent": "acetone"}, "lease_until": 1795123852.920959}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'CG2TV-I0EMMp1_RzPWGXEA', '8413dbac573f8f5f144fe8d51e42672656a925d7b95b96c74693a66f013f46e5', 200, '{"number": 16, "status": "told", "value": 0.909931}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'MCz6vv9DQ1QmA0G35RhUwA', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 17, "point": {"temperature": 90.5, "solvent": "water"}, "lease_until": 1795123853.088762}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'hFTH4b7qsQpJKmuHCvaoXw', 'ebc0351053fdb186f147ede26859d4cad13d340ee856f6e350c868ae93ddea4b', 200, '{"number": 17, "status": "told", "value": 0.999375}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'qtEwNrtBhVsJNMuToO4kFA', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 18, "point": {"temperature": 90.5, "solvent": "water"}, "lease_until": 1795123853.241984}]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'W7xV19jNbF7tjzlw-AeQAw', '3ac72c624c5c094117ab775b7d6c6b78bebde68aa922d807ae58349e952d0c5d', 200, '{"number": 18, "status": "told", "value": 0.799375}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'dDUzbE_Lmaz7iJVgG7NNHw', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 19, "point": {"temperature": 99.0, "solvent": "ethanol"}, "lease_until": 1795123853.493935}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'no2G97ULoxcepkDXEH8tMg', '8dbc78b4ed7451927081c4fb60c0e91bb8b1ce7f26fd357fd84abbbe9e61e165', 200, '{"number": 19, "status": "told", "value": 0.896389}');
INSERT INTO public.replies VALUES (1, 'Lab drei', '0De_lD6GtET42Gi0zV0_Ww', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 20, "point": {"temperature": 91.0, "solvent": "acetone"}, "lease_until": 1795123853.671899}]}');
INSERT INTO public.replies VALUES (1, 'Lab drei', 'FTO9vQvUPU9ChTqDanTqVw', '332b8a578b6293138b8f6b1d67fdaa4b15c6e244a5c14d3aa2b89c483af8c266', 200, '{"number": 20, "status": "told", "value": 1.099722}');
INSERT INTO public.replies VALUES (1, 'owner', '5KrdRfHR_-kBbDPoAVwDfg', '426e21f80f42ef41f13b640d1c2b26898911bf55c8c3b814f240d10f367ab188', 200, '{"seq": 44}');
INSERT INTO public.replies VALUES (1, 'owner', 'NDqCSc6dCL6T5nIE273BoQ', 'a19a50318adce418d5261e61e763be3a47d4ae86758b1ebe4647c0dc26f948f6', 200, '{"seq": 45}');
INSERT INTO public.replies VALUES (1, 'owner', 'hEwFBZLtAfU6vU33PT7n7w', '53435973064f540573d30bc1df183d6bd2304921f45c1d0e19b27aaf49f7360e', 200, '{"seq": 46}');
INSERT INTO public.replies VALUES (1, 'owner', '9ImZx8trj7z2vIeJCEv8_A', 'adc53fa9f1ba915bc89e95b213b33f23f81bc65bf433ae1e8190eb55f92fc7b0', 200, '{"seq": 47}');
INSERT INTO public.replies VALUES (1, 'owner', 'WZ39AijCmpOTVILcLdT6Cg', 'a14b368af2d2f590be00a61045c28ca1b27a3053973e0424c52ec0ad52935480', 200, '{"seq": 48}');
INSERT INTO public.replies VALUES (1, 'owner', 'RY2Hl0EZ429lLxCeBV6Yig', 'c5ad9be25cad4b0055f34cd4ea1289e820b7c6f30a12a52d5652d176e373cb8a', 201, '{"numbers": [21]}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'JSiinXKyYQkV-0jNuBcl6g', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 22, "point": {"temperature": 95.5, "solvent": "ethanol"}, "lease_until": 1795123854.950577}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', '9oXIqWVY1CIUSMhIk0mtZg', '0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a', 200, '{"plays": [{"number": 22, "point": {"temperature": 95.5, "solvent": "ethanol"}, "lease_until": 1795123857.52819}]}');
INSERT INTO public.replies VALUES (1, 'lab-2', 'z2KD7k5gY7UyOd_eZdID7A', '99d2d958bbe9965ae21fcf807579f2100ed6a8cc6c875b319d2ebef4f3313bec', 200, '{"number": 22, "status": "told", "value": 0.7}');
INSERT INTO public.replies VALUES (1, 'lab-1', '3QeGV0AqJi66lKdbmxvLMg', '9fb616a7c1861ed74a001eab2fdb667e85e2a9a0a49a88482cc835db3200daa8', 409, '{"error": "play 22 was answered by another source; this value is kept in the log and does not count", "stored": null}');
INSERT INTO public.replies VALUES (1, 'lab-1', 'VRtbs3_vBNUqKfI20qwmOg', 'b45c2f19346a27109e12cfb3a5c8675d95d1a8c8fc98a9bbee01bf2301cf6b14', 200, '{"plays": [{"number": 23, "point": {"temperature": 91.0, "solvent": "acetone"}, "lease_until": 1795123857.735662}, {"number": 24, "point": {"temperature": 97.5, "solvent": "acetone"}, "lease_until": 1795123857.735662}]}');
INSERT INTO public.replies VALUES (2, 'owner', 'AZKDMOQg1Ur8O7qqLAj5Hg', '0f9da60df4dd16afa6a5877328d8a2da2afa682a7e477929f51c35c14e933c49', 200, '{"plays": [{"number": 0, "point": "a", "lease_until": 1795123857.844173}, {"number": 1, "point": "b", "lease_until": 1795123857.844173}, {"number": 2, "point": "c", "lease_until": 1795123857.844173}, {"number": 3, "point": "d", "lease_until": 1795123857.844173}]}');
INSERT INTO public.replies VALUES (2, 'owner', 'VGCR8OMnxq-eJMjA3btryQ', '3075c2da0686921a5e44e9060521ca226bf3f5d8b56df0dfd2f592c9db9300be', 200, '{"number": 0, "status": "told", "value": 0.0}');
INSERT INTO public.replies VALUES (2, 'owner', '9pBz59OLs8HxxAqrgts7Hg', '1145f34c1fd3b3121c4f03a464ca614b73b3e2d5105d2e7980e0756925041b11', 200, '{"number": 1, "status": "told", "value": 0.1}');
INSERT INTO public.replies VALUES (2, 'owner', 'VQfacB63rJWIG2Kh7w8UyQ', '95b556f3eb6a73bae5a16fac3335effaf9f39dec68322f2ef3fd04093beae43e', 200, '{"number": 2, "status": "told", "value": 0.2}');
INSERT INTO public.replies VALUES (2, 'owner', 'spDwouzNK0se1fBD74AmhQ', 'eca7c85f45a297b9cc2bbdc56a53a709a4b280f970c7bfc5c5d5a417d8e6cddc', 200, '{"number": 3, "status": "told", "value": 0.30000000000000004}');
INSERT INTO public.studies VALUES (1, 'alloy');
INSERT INTO public.studies VALUES (2, 'rates');
INSERT INTO public.tokens VALUES ('owner', 'owner', NULL, '3c90274f61eda3ffb83b6d63802efaad927452c408190fa1e929ae5debf44c14', 1795123845.7973084, 1795123845.9174654);
INSERT INTO public.tokens VALUES ('eye', 'reader', NULL, '6b084c882071ce047df0ed21e79901ab0de7289e47f6bd4cec5e8b1945891167', 1795123846.1558344, NULL);
INSERT INTO public.tokens VALUES ('lab-1', 'source', 'alloy', 'fd36a3b4aa675e25ef025c745bd8cfccb6b928a43308f8507c7f70b9d6d14a5e', 1795123846.10371, 1795123846.1616514);
INSERT INTO public.tokens VALUES ('lab-2', 'source', 'alloy', '31cd56e571d4663767f8a3ec8b90cd5d89b7e3f106fb5f1b75a4796cf411ffaa', 1795123846.1222773, 1795123848.0714595);
INSERT INTO public.tokens VALUES ('Lab drei', 'source', 'alloy', '31159960412d71cc61de05b7bb26c1ff5e04f0a659d9f6a21cc51713937b0d30', 1795123846.1359441, 1795123848.1089456);
INSERT INTO public.unswayed VALUES (1);
SELECT pg_catalog.setval('public.studies_id_seq', 2, true);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (study, play);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (study, seq);
ALTER TABLE ONLY public.replies
    ADD CONSTRAINT replies_pkey PRIMARY KEY (study, who, key);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.studies
    ADD CONSTRAINT studies_name_key UNIQUE (name);
ALTER TABLE ONLY public.studies
    ADD CONSTRAINT studies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_study_fkey FOREIGN KEY (study) REFERENCES public.studies(id);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_study_fkey FOREIGN KEY (study) REFERENCES public.studies(id);
ALTER TABLE ONLY public.replies
    ADD CONSTRAINT replies_study_fkey FOREIGN KEY (study) REFERENCES public.studies(id);
