-- SQLite: `.dump` of a database that version 0.2.0 made: two studies that its server, clients and owner worked on.
BEGIN TRANSACTION;
CREATE TABLE leases (
	study INTEGER NOT NULL,
	play INTEGER NOT NULL,
	until FLOAT NOT NULL,
	PRIMARY KEY (study, play),
	FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "leases" VALUES(1,23,1.79512381769022417066e+09);
INSERT INTO "leases" VALUES(1,24,1.79512381769022417066e+09);
CREATE TABLE records (
	study INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	record TEXT NOT NULL,
	crc BIGINT NOT NULL,
	PRIMARY KEY (study, seq),
	FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "records" VALUES(1,1,'{"kind": "study", "space": {"space": "box", "parameters": [{"name": "temperature", "type": "real", "low": 60.0, "high": 120.0, "log": false, "unit": "\u00b0C", "step": 0.5}, {"name": "solvent", "type": "categorical", "choices": ["water", "ethanol", "acetone"]}]}, "settings": {"threat": {"total": 0.0, "lies": 0, "liars": 1, "low": 0.0, "high": 1.0}, "kernel": null, "noise_std": null, "output_scale": null, "level": null, "norm_bound": null, "delta": 0.05, "plays": 40, "method": "auto", "minimize": false, "parallel": null, "seed": 3, "note": null, "quarantined": []}, "at": 1795123809.202}',925066754);
INSERT INTO "records" VALUES(2,1,'{"kind": "study", "space": {"space": "options", "labels": ["a", "b", "c", "d"]}, "settings": {"threat": null, "kernel": null, "noise_std": null, "output_scale": null, "level": null, "norm_bound": null, "delta": 0.05, "plays": null, "method": "auto", "minimize": true, "parallel": 1, "seed": 1, "note": null, "quarantined": []}, "at": 1795123809.238}',2300514694);
INSERT INTO "records" VALUES(1,2,'{"kind": "ask", "play": 0, "point": {"temperature": 109.0, "solvent": "water"}, "why": "start", "source": "lab-1", "at": 1795123810.75}',2532751531);
INSERT INTO "records" VALUES(1,3,'{"kind": "tell", "play": 0, "value": 0.719722, "source": "lab-1", "at": 1795123810.785}',3515035362);
INSERT INTO "records" VALUES(1,4,'{"kind": "ask", "play": 1, "point": {"temperature": 78.5, "solvent": "ethanol"}, "why": "start", "source": "lab-2", "at": 1795123810.892}',524512009);
INSERT INTO "records" VALUES(1,5,'{"kind": "tell", "play": 1, "value": 0.859375, "source": "lab-2", "at": 1795123810.922}',673982016);
INSERT INTO "records" VALUES(1,6,'{"kind": "ask", "play": 2, "point": {"temperature": 63.5, "solvent": "ethanol"}, "why": "start", "source": "Lab drei", "at": 1795123810.938}',3052166186);
INSERT INTO "records" VALUES(1,7,'{"kind": "tell", "play": 2, "value": 0.874375, "source": "Lab drei", "at": 1795123810.949}',1275433450);
INSERT INTO "records" VALUES(1,8,'{"kind": "ask", "play": 3, "point": {"temperature": 60.0, "solvent": "acetone"}, "why": "explore", "source": "lab-1", "at": 1795123811.008}',942224064);
INSERT INTO "records" VALUES(1,9,'{"kind": "tell", "play": 3, "value": 0.615556, "source": "lab-1", "at": 1795123811.037}',970797936);
INSERT INTO "records" VALUES(1,10,'{"kind": "ask", "play": 4, "point": {"temperature": 120.0, "solvent": "ethanol"}, "why": "explore", "source": "lab-2", "at": 1795123811.148}',609418057);
INSERT INTO "records" VALUES(1,11,'{"kind": "tell", "play": 4, "value": 0.692222, "source": "lab-2", "at": 1795123811.181}',959343814);
INSERT INTO "records" VALUES(1,12,'{"kind": "ask", "play": 5, "point": {"temperature": 69.5, "solvent": "ethanol"}, "why": "explore", "source": "Lab drei", "at": 1795123811.238}',486241321);
INSERT INTO "records" VALUES(1,13,'{"kind": "tell", "play": 5, "value": 0.959375, "source": "Lab drei", "at": 1795123811.253}',1244990746);
INSERT INTO "records" VALUES(1,14,'{"kind": "ask", "play": 6, "point": {"temperature": 60.0, "solvent": "water"}, "why": "explore", "source": "lab-1", "at": 1795123811.359}',3150674465);
INSERT INTO "records" VALUES(1,15,'{"kind": "tell", "play": 6, "value": 0.515556, "source": "lab-1", "at": 1795123811.369}',3736710437);
INSERT INTO "records" VALUES(1,16,'{"kind": "ask", "play": 7, "point": {"temperature": 120.0, "solvent": "acetone"}, "why": "explore", "source": "lab-2", "at": 1795123811.552}',3317743834);
INSERT INTO "records" VALUES(1,17,'{"kind": "tell", "play": 7, "value": 0.692222, "source": "lab-2", "at": 1795123811.555}',2027476537);
INSERT INTO "records" VALUES(1,18,'{"kind": "ask", "play": 8, "point": {"temperature": 60.0, "solvent": "ethanol"}, "why": "explore", "source": "Lab drei", "at": 1795123811.576}',3564937738);
INSERT INTO "records" VALUES(1,19,'{"kind": "tell", "play": 8, "value": 0.815556, "source": "Lab drei", "at": 1795123811.621}',3151799888);
INSERT INTO "records" VALUES(1,20,'{"kind": "ask", "play": 9, "point": {"temperature": 71.5, "solvent": "ethanol"}, "why": "explore", "source": "lab-1", "at": 1795123811.687}',2568905174);
INSERT INTO "records" VALUES(1,21,'{"kind": "tell", "play": 9, "value": 0.783264, "source": "lab-1", "at": 1795123811.7}',3845063996);
INSERT INTO "records" VALUES(1,22,'{"kind": "ask", "play": 10, "point": {"temperature": 84.5, "solvent": "ethanol"}, "why": "explore", "source": "lab-2", "at": 1795123811.772}',3589301170);
INSERT INTO "records" VALUES(1,23,'{"kind": "fail", "play": 10, "reason": "the flask broke", "at": 1795123811.781}',3789288958);
INSERT INTO "records" VALUES(1,24,'{"kind": "ask", "play": 11, "point": {"temperature": 80.0, "solvent": "ethanol"}, "why": "exploit", "source": "Lab drei", "at": 1795123811.784}',3442266872);
INSERT INTO "records" VALUES(1,25,'{"kind": "tell", "play": 11, "value": 1.06, "source": "Lab drei", "at": 1795123811.785}',3631470689);
INSERT INTO "records" VALUES(1,26,'{"kind": "ask", "play": 12, "point": {"temperature": 77.0, "solvent": "ethanol"}, "why": "exploit", "source": "lab-1", "at": 1795123811.863}',1023213801);
INSERT INTO "records" VALUES(1,27,'{"kind": "tell", "play": 12, "value": 0.8375, "source": "lab-1", "at": 1795123811.885}',3079841462);
INSERT INTO "records" VALUES(1,28,'{"kind": "ask", "play": 13, "point": {"temperature": 95.0, "solvent": "acetone"}, "why": "explore", "source": "lab-2", "at": 1795123811.899}',2847391156);
INSERT INTO "records" VALUES(1,29,'{"kind": "tell", "play": 13, "value": 0.9075, "source": "lab-2", "at": 1795123811.913}',2909211438);
INSERT INTO "records" VALUES(1,30,'{"kind": "ask", "play": 14, "point": {"temperature": 95.0, "solvent": "acetone"}, "why": "verify", "source": "Lab drei", "at": 1795123812.025}',4046005446);
INSERT INTO "records" VALUES(1,31,'{"kind": "tell", "play": 14, "value": 1.0975, "source": "Lab drei", "at": 1795123812.03}',3024363837);
INSERT INTO "records" VALUES(1,32,'{"kind": "ask", "play": 15, "point": {"temperature": 89.0, "solvent": "acetone"}, "why": "exploit", "source": "lab-1", "at": 1795123812.052}',1493026376);
INSERT INTO "records" VALUES(1,33,'{"kind": "tell", "play": 15, "value": 0.8975, "source": "lab-1", "at": 1795123812.069}',1702967688);
INSERT INTO "records" VALUES(1,34,'{"kind": "ask", "play": 16, "point": {"temperature": 92.5, "solvent": "acetone"}, "why": "exploit", "source": "lab-2", "at": 1795123812.154}',2354789725);
INSERT INTO "records" VALUES(1,35,'{"kind": "tell", "play": 16, "value": 0.909931, "source": "lab-2", "at": 1795123812.173}',1938924456);
INSERT INTO "records" VALUES(1,36,'{"kind": "ask", "play": 17, "point": {"temperature": 90.5, "solvent": "water"}, "why": "explore", "source": "Lab drei", "at": 1795123812.201}',556654555);
INSERT INTO "records" VALUES(1,37,'{"kind": "tell", "play": 17, "value": 0.999375, "source": "Lab drei", "at": 1795123812.213}',3349476702);
INSERT INTO "records" VALUES(1,38,'{"kind": "ask", "play": 18, "point": {"temperature": 90.5, "solvent": "water"}, "why": "verify", "source": "lab-1", "at": 1795123812.243}',4187206432);
INSERT INTO "records" VALUES(1,39,'{"kind": "tell", "play": 18, "value": 0.799375, "source": "lab-1", "at": 1795123812.257}',3215076653);
INSERT INTO "records" VALUES(1,40,'{"kind": "ask", "play": 19, "point": {"temperature": 99.0, "solvent": "ethanol"}, "why": "explore", "source": "lab-2", "at": 1795123812.35}',3521741744);
INSERT INTO "records" VALUES(1,41,'{"kind": "tell", "play": 19, "value": 0.896389, "source": "lab-2", "at": 1795123812.37}',4171189825);
INSERT INTO "records" VALUES(1,42,'{"kind": "ask", "play": 20, "point": {"temperature": 91.0, "solvent": "acetone"}, "why": "exploit", "source": "Lab drei", "at": 1795123812.411}',2480824039);
INSERT INTO "records" VALUES(1,43,'{"kind": "tell", "play": 20, "value": 1.099722, "source": "Lab drei", "at": 1795123812.429}',2399813074);
INSERT INTO "records" VALUES(1,44,'{"kind": "correct", "play": 0, "value": 0.5, "source": "lab-1", "reason": "a typo", "at": 1795123812.433}',2107530914);
INSERT INTO "records" VALUES(1,45,'{"kind": "retract", "play": 1, "reason": "not calibrated", "at": 1795123812.435}',439722379);
INSERT INTO "records" VALUES(1,46,'{"kind": "retract", "play": 2, "reason": "x", "at": 1795123812.436}',488259126);
INSERT INTO "records" VALUES(1,47,'{"kind": "restore", "play": 2, "at": 1795123812.437}',3108294426);
INSERT INTO "records" VALUES(1,48,'{"kind": "change", "quarantined": ["Lab drei"], "at": 1795123812.439}',758959569);
INSERT INTO "records" VALUES(1,49,'{"kind": "add", "play": 21, "point": {"temperature": 80.0, "solvent": "water"}, "value": 0.6, "at": 1795123812.44}',2654391308);
INSERT INTO "records" VALUES(1,50,'{"kind": "ask", "play": 22, "point": {"temperature": 95.5, "solvent": "ethanol"}, "why": "exploit", "source": "lab-1", "at": 1795123813.042}',1331542102);
INSERT INTO "records" VALUES(1,51,'{"kind": "hand", "play": 22, "source": "lab-2", "at": 1795123815.574}',3135368731);
INSERT INTO "records" VALUES(1,52,'{"kind": "tell", "play": 22, "value": 0.7, "source": "lab-2", "at": 1795123815.584}',2594934627);
INSERT INTO "records" VALUES(1,53,'{"kind": "late", "play": 22, "value": 0.4, "source": "lab-1", "at": 1795123815.606}',4062659101);
INSERT INTO "records" VALUES(1,54,'{"kind": "ask", "play": 23, "point": {"temperature": 91.0, "solvent": "acetone"}, "why": "explore", "source": "lab-1", "at": 1795123815.69}',1083872720);
INSERT INTO "records" VALUES(1,55,'{"kind": "ask", "play": 24, "point": {"temperature": 97.5, "solvent": "acetone"}, "why": "explore", "source": "lab-1", "at": 1795123815.69}',2914027729);
INSERT INTO "records" VALUES(2,2,'{"kind": "ask", "play": 0, "point": "a", "why": "start", "source": "owner", "at": 1795123815.729}',1135695492);
INSERT INTO "records" VALUES(2,3,'{"kind": "ask", "play": 1, "point": "b", "why": "start", "source": "owner", "at": 1795123815.729}',154500143);
INSERT INTO "records" VALUES(2,4,'{"kind": "ask", "play": 2, "point": "c", "why": "start", "source": "owner", "at": 1795123815.729}',6988266);
INSERT INTO "records" VALUES(2,5,'{"kind": "ask", "play": 3, "point": "d", "why": "start", "source": "owner", "at": 1795123815.729}',1974921817);
INSERT INTO "records" VALUES(2,6,'{"kind": "tell", "play": 0, "value": 0.0, "source": "owner", "at": 1795123815.757}',3007168371);
INSERT INTO "records" VALUES(2,7,'{"kind": "tell", "play": 1, "value": 0.1, "source": "owner", "at": 1795123815.776}',2893633758);
INSERT INTO "records" VALUES(2,8,'{"kind": "tell", "play": 2, "value": 0.2, "source": "owner", "at": 1795123815.801}',2514615052);
INSERT INTO "records" VALUES(2,9,'{"kind": "tell", "play": 3, "value": 0.30000000000000004, "source": "owner", "at": 1795123815.813}',2057434919);
CREATE TABLE replies (
	study INTEGER NOT NULL,
	who VARCHAR(200) NOT NULL,
	"key" VARCHAR(200) NOT NULL,
	digest VARCHAR(64) NOT NULL,
	status INTEGER NOT NULL,
	reply TEXT NOT NULL,
	PRIMARY KEY (study, who, "key"),
	FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "replies" VALUES(1,'lab-1','exadMMs63UvnlvhTBlLFvQ','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 0, "point": {"temperature": 109.0, "solvent": "water"}, "lease_until": 1795123812.7500021}]}');
INSERT INTO "replies" VALUES(1,'lab-1','rCfrQWzUmwiENJbluk0NeQ','1b05bf281474290e99c1a69c2f77cd63067248f869f1e446bc8f70c9fbc7cbb8',200,'{"number": 0, "status": "told", "value": 0.719722}');
INSERT INTO "replies" VALUES(1,'lab-2','W5EIBBG4G-nfYgJPPe84SA','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 1, "point": {"temperature": 78.5, "solvent": "ethanol"}, "lease_until": 1795123812.8922317}]}');
INSERT INTO "replies" VALUES(1,'lab-2','MatmbItuP575ZBk1AI8AVQ','057f54290bb6b03f6d4d438d24e7a0e23ee21ad456c6a4d22913361a1f41cb48',200,'{"number": 1, "status": "told", "value": 0.859375}');
INSERT INTO "replies" VALUES(1,'Lab drei','pKO0sTS1zAAUusO2VCpYxA','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 2, "point": {"temperature": 63.5, "solvent": "ethanol"}, "lease_until": 1795123812.937655}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','PvVuHqZ1OWHqD6FA50uK_A','709061c478814d1ac06442d00f959c6456bc0ec0d1a05b3d48a2f2301df3584b',200,'{"number": 2, "status": "told", "value": 0.874375}');
INSERT INTO "replies" VALUES(1,'lab-1','7IaOsmZZL4xKbupW7KT9vA','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 3, "point": {"temperature": 60.0, "solvent": "acetone"}, "lease_until": 1795123813.00817}]}');
INSERT INTO "replies" VALUES(1,'lab-1','tLgq0spFd6SZqT20mHbQbw','6cde3315b8d48e4ea7098626812a4a33b8a515198002ae27465c539acc8f8b0d',200,'{"number": 3, "status": "told", "value": 0.615556}');
INSERT INTO "replies" VALUES(1,'lab-2','ONShBjomdhJhQXyZUIC0cg','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 4, "point": {"temperature": 120.0, "solvent": "ethanol"}, "lease_until": 1795123813.1479661}]}');
INSERT INTO "replies" VALUES(1,'lab-2','zMPrnw1xY3ankOAtBdDzQg','d5b38004c3548c0fe78df4362ff32b2c079b45e508885ba1d79d710d67ea4f4a',200,'{"number": 4, "status": "told", "value": 0.692222}');
INSERT INTO "replies" VALUES(1,'Lab drei','ikN2sQC5VEwcxaAPIeWB0Q','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 5, "point": {"temperature": 69.5, "solvent": "ethanol"}, "lease_until": 1795123813.2374976}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','lQ3ReJDVxP-t-U4KbGyGTg','5f06ed62a499bf415a0d57802250e8becb6fe66dc72ba690af2b81ec45d02c57',200,'{"number": 5, "status": "told", "value": 0.959375}');
INSERT INTO "replies" VALUES(1,'lab-1','w2qLe-RG1yqMQ_mq9rzO0Q','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 6, "point": {"temperature": 60.0, "solvent": "water"}, "lease_until": 1795123813.359348}]}');
INSERT INTO "replies" VALUES(1,'lab-1','Xiq-nsIL5_3ZHmZZraLYyQ','a120cb2db77df09cd6334f8381903837e044c1b8dc855ea0b9c46c94f0167daf',200,'{"number": 6, "status": "told", "value": 0.515556}');
INSERT INTO "replies" VALUES(1,'lab-2','PQ39oNvg1dAtqR2BQcT-EQ','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 7, "point": {"temperature": 120.0, "solvent": "acetone"}, "lease_until": 1795123813.552188}]}');
INSERT INTO "replies" VALUES(1,'lab-2','a8FtC82orreCxfO0wBKPKw','1947919405f0ddc5ba06e5783324d915af8cb3a3438f40cc11e2d6726a40ba69',200,'{"number": 7, "status": "told", "value": 0.692222}');
INSERT INTO "replies" VALUES(1,'Lab drei','VAguynA5XgEKEPlqJ0T6AQ','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 8, "point": {"temperature": 60.0, "solvent": "ethanol"}, "lease_until": 1795123813.575906}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','Fgm3HpnqxpfXn-8XnyC5Aw','017a847acb24afd80d36565159f023d1947a62668166d3c9e607cc407051498c',200,'{"number": 8, "status": "told", "value": 0.815556}');
INSERT INTO "replies" VALUES(1,'lab-1','bT0B0223ZjZH2ZMPHwL_CQ','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 9, "point": {"temperature": 71.5, "solvent": "ethanol"}, "lease_until": 1795123813.6869516}]}');
INSERT INTO "replies" VALUES(1,'lab-1','0E439HtqpX517uWB2Hf6Vw','2acab03983dd3d3ad8aef907125f3b8f7f35f1217771bc81a6808ffdb420cc13',200,'{"number": 9, "status": "told", "value": 0.783264}');
INSERT INTO "replies" VALUES(1,'lab-2','n36wHSDm1TZ3lWUrvaUlHw','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 10, "point": {"temperature": 84.5, "solvent": "ethanol"}, "lease_until": 1795123813.7717888}]}');
INSERT INTO "replies" VALUES(1,'lab-2','MCNlRGkoJ-gR0Z7r4MRMMw','78cc98d41491cd9592c1df06e9208dbb10e4e03f1f7ae0dff1ff256ab5aa383e',200,'{"number": 10, "status": "failed"}');
INSERT INTO "replies" VALUES(1,'Lab drei','wkCyChc-aOmBQ3hUGvaa-w','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 11, "point": {"temperature": 80.0, "solvent": "ethanol"}, "lease_until": 1795123813.7837243}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','M61o3VQTGYwntxegtz2nDA','57b32c9c006302d7927a4ffa881fa4ea9fbb37227bbe997fe95a99e86ea61d6a',200,'{"number": 11, "status": "told", "value": 1.06}');
INSERT INTO "replies" VALUES(1,'lab-1','w7oJ_1E90qNfKhtkf_KQ1A','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 12, "point": {"temperature": 77.0, "solvent": "ethanol"}, "lease_until": 1795123813.8626204}]}');
INSERT INTO "replies" VALUES(1,'lab-1','1AJPvbxNVI3ZP91FJIf3ww','d2012252eba175ac23d94090dcff0aed68f586fd1bc661ed85d45c3cda2e398a',200,'{"number": 12, "status": "told", "value": 0.8375}');
INSERT INTO "replies" VALUES(1,'lab-2','w7V0Qx-bzxnIOJbGqktn4w','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 13, "point": {"temperature": 95.0, "solvent": "acetone"}, "lease_until": 1795123813.8986688}]}');
INSERT INTO "replies" VALUES(1,'lab-2','7nirobDlswgfwTIgkrpeVw','6d12541e035ead30081eef13d74e664abdb6352adb0432859c738e7bd0ad6662',200,'{"number": 13, "status": "told", "value": 0.9075}');
INSERT INTO "replies" VALUES(1,'Lab drei','5WynAFxBxZGD-snD5eRyPg','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 14, "point": {"temperature": 95.0, "solvent": "acetone"}, "lease_until": 1795123814.0246806}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','vGPxA_ORz5ttuFHHY8YRzQ','4b16b248a4f4d748f6ea4868ca47af4587f04a8d5c79fd991389f71fc10aa441',200,'{"number": 14, "status": "told", "value": 1.0975}');
INSERT INTO "replies" VALUES(1,'lab-1','h382gxb1vOGUvySz_y56VQ','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 15, "point": {"temperature": 89.0, "solvent": "acetone"}, "lease_until": 1795123814.0519233}]}');
INSERT INTO "replies" VALUES(1,'lab-1','IKtl0MfqfWjLTCH12jmPYA','5cb3a132b022d7097e6f65784f432edc8ec384d8217df0521be1109e85ee3b4e',200,'{"number": 15, "status": "told", "value": 0.8975}');
INSERT INTO "replies" VALUES(1,'lab-2','RO7CREN5fAEvTNVi0xfyhA','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 16, "point": {"temperature": 92.5, "solvent": "acetone"}, "lease_until": 1795123814.1539052}]}');
INSERT INTO "replies" VALUES(1,'lab-2','cHLZPYXZ0NXDkpR2no36nA','8413dbac573f8f5f144fe8d51e42672656a925d7b95b96c74693a66f013f46e5',200,'{"number": 16, "status": "told", "value": 0.909931}');
INSERT INTO "replies" VALUES(1,'Lab drei','4ty1WnHlhkzv8RXqFZ0KJw','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 17, "point": {"temperature": 90.5, "solvent": "water"}, "lease_until": 1795123814.2009752}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','sQIFajlODmPNPGNssq9dfg','ebc0351053fdb186f147ede26859d4cad13d340ee856f6e350c868ae93ddea4b',200,'{"number": 17, "status": "told", "value": 0.999375}');
INSERT INTO "replies" VALUES(1,'lab-1','n398oS_q9O-cw4efIX65vA','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 18, "point": {"temperature": 90.5, "solvent": "water"}, "lease_until": 1795123814.2429807}]}');
INSERT INTO "replies" VALUES(1,'lab-1','CEFBZsSFb00dC8QMMu1cjg','3ac72c624c5c094117ab775b7d6c6b78bebde68aa922d807ae58349e952d0c5d',200,'{"number": 18, "status": "told", "value": 0.799375}');
INSERT INTO "replies" VALUES(1,'lab-2','I2rDYJjZ7UzTzyk0ec8PZg','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 19, "point": {"temperature": 99.0, "solvent": "ethanol"}, "lease_until": 1795123814.3495188}]}');
INSERT INTO "replies" VALUES(1,'lab-2','AMKpaB-RA6vcU0m_LqW4GA','8dbc78b4ed7451927081c4fb60c0e91bb8b1ce7f26fd357fd84abbbe9e61e165',200,'{"number": 19, "status": "told", "value": 0.896389}');
INSERT INTO "replies" VALUES(1,'Lab drei','4mSL9DDdMiKyC0ABHQGElQ','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 20, "point": {"temperature": 91.0, "solvent": "acetone"}, "lease_until": 1795123814.4108624}]}');
INSERT INTO "replies" VALUES(1,'Lab drei','xqGyko85wbEWVkSmS4lInQ','332b8a578b6293138b8f6b1d67fdaa4b15c6e244a5c14d3aa2b89c483af8c266',200,'{"number": 20, "status": "told", "value": 1.099722}');
INSERT INTO "replies" VALUES(1,'owner','20XtpLvjQvNgI0-e3YhPUw','426e21f80f42ef41f13b640d1c2b26898911bf55c8c3b814f240d10f367ab188',200,'{"seq": 44}');
INSERT INTO "replies" VALUES(1,'owner','514CVium2LVT6sX1ohNWXA','a19a50318adce418d5261e61e763be3a47d4ae86758b1ebe4647c0dc26f948f6',200,'{"seq": 45}');
INSERT INTO "replies" VALUES(1,'owner','k3YlAFfUEOT_8N5sFvAw9w','53435973064f540573d30bc1df183d6bd2304921f45c1d0e19b27aaf49f7360e',200,'{"seq": 46}');
INSERT INTO "replies" VALUES(1,'owner','vlhDldWTBgH-UDq-p5yTrA','adc53fa9f1ba915bc89e95b213b33f23f81bc65bf433ae1e8190eb55f92fc7b0',200,'{"seq": 47}');
INSERT INTO "replies" VALUES(1,'owner','g4MktYR7bEiNtJZrEpXSfg','a14b368af2d2f590be00a61045c28ca1b27a3053973e0424c52ec0ad52935480',200,'{"seq": 48}');
INSERT INTO "replies" VALUES(1,'owner','0bbjsyVViT60zfsyi8foMw','c5ad9be25cad4b0055f34cd4ea1289e820b7c6f30a12a52d5652d176e373cb8a',201,'{"numbers": [21]}');
INSERT INTO "replies" VALUES(1,'lab-1','EPE8NbAnw0UJfp6Kaem9Bw','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 22, "point": {"temperature": 95.5, "solvent": "ethanol"}, "lease_until": 1795123815.0416934}]}');
INSERT INTO "replies" VALUES(1,'lab-2','0LwTHIMJT82ek5mC0oHNOg','0910ec03a0cf83e40572732c38ba69b85e87120cbce5d051b1cbd2c33b52886a',200,'{"plays": [{"number": 22, "point": {"temperature": 95.5, "solvent": "ethanol"}, "lease_until": 1795123817.5737162}]}');
INSERT INTO "replies" VALUES(1,'lab-2','UtaVqyFmGFAcnv4_KSpDkQ','99d2d958bbe9965ae21fcf807579f2100ed6a8cc6c875b319d2ebef4f3313bec',200,'{"number": 22, "status": "told", "value": 0.7}');
INSERT INTO "replies" VALUES(1,'lab-1','oMFbftjdYPhe-7gfpQz1HA','9fb616a7c1861ed74a001eab2fdb667e85e2a9a0a49a88482cc835db3200daa8',409,'{"error": "play 22 was answered by another source; this value is kept in the log and does not count", "stored": null}');
INSERT INTO "replies" VALUES(1,'lab-1','PloB8xgrz8p5BDc53i9s5g','b45c2f19346a27109e12cfb3a5c8675d95d1a8c8fc98a9bbee01bf2301cf6b14',200,'{"plays": [{"number": 23, "point": {"temperature": 91.0, "solvent": "acetone"}, "lease_until": 1795123817.6902242}, {"number": 24, "point": {"temperature": 97.5, "solvent": "acetone"}, "lease_until": 1795123817.6902242}]}');
INSERT INTO "replies" VALUES(2,'owner','IN4qa7XQgj7oi4JmZC4eLQ','0f9da60df4dd16afa6a5877328d8a2da2afa682a7e477929f51c35c14e933c49',200,'{"plays": [{"number": 0, "point": "a", "lease_until": 1795123817.7293122}, {"number": 1, "point": "b", "lease_until": 1795123817.7293122}, {"number": 2, "point": "c", "lease_until": 1795123817.7293122}, {"number": 3, "point": "d", "lease_until": 1795123817.7293122}]}');
INSERT INTO "replies" VALUES(2,'owner','A5TXRvpZjXTBfopRn-jRZQ','3075c2da0686921a5e44e9060521ca226bf3f5d8b56df0dfd2f592c9db9300be',200,'{"number": 0, "status": "told", "value": 0.0}');
INSERT INTO "replies" VALUES(2,'owner','df5ruHhtJwlmTjuNp_MJTw','1145f34c1fd3b3121c4f03a464ca614b73b3e2d5105d2e7980e0756925041b11',200,'{"number": 1, "status": "told", "value": 0.1}');
INSERT INTO "replies" VALUES(2,'owner','TL-4faK0FUiqTm-v-ebPeA','95b556f3eb6a73bae5a16fac3335effaf9f39dec68322f2ef3fd04093beae43e',200,'{"number": 2, "status": "told", "value": 0.2}');
INSERT INTO "replies" VALUES(2,'owner','imXT498Bbbe9SlRFHP6iAg','eca7c85f45a297b9cc2bbdc56a53a709a4b280f970c7bfc5c5d5a417d8e6cddc',200,'{"number": 3, "status": "told", "value": 0.30000000000000004}');
CREATE TABLE sessions (
	hash VARCHAR(64) NOT NULL,
	token VARCHAR(64) NOT NULL,
	until FLOAT NOT NULL,
	PRIMARY KEY (hash)
);
CREATE TABLE studies (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (name)
);
INSERT INTO "studies" VALUES(1,'alloy');
INSERT INTO "studies" VALUES(2,'rates');
CREATE TABLE tokens (
	name VARCHAR(200) NOT NULL,
	role VARCHAR(20) NOT NULL,
	study VARCHAR(200),
	hash VARCHAR(64) NOT NULL,
	made FLOAT NOT NULL,
	seen FLOAT,
	PRIMARY KEY (name),
	UNIQUE (hash)
);
INSERT INTO "tokens" VALUES('owner','owner',NULL,'13f558acb728cc9608cb93ce99b012023ca375845ff845350fd80536815d9edf',1.79512380909293627734e+09,1.79512380919009923935e+09);
INSERT INTO "tokens" VALUES('lab-1','source','alloy','a979ee067cd12163848a15f28e779b799b2aed69b68c5e47adf08084a3efc45b',1.79512380925407028205e+09,1.79512380930959081649e+09);
INSERT INTO "tokens" VALUES('lab-2','source','alloy','419280035b341d1f749f48ab6a9a98e86a80f4b5e50e38a881c23ab2bb793037',1.79512380926946568488e+09,1.79512381082589220996e+09);
INSERT INTO "tokens" VALUES('Lab drei','source','alloy','c253648be4e25658e4eb557be0cb08e1b2def0b411436a5f2d9470c9f93e3d82',1.79512380927674770362e+09,1.79512381093354272845e+09);
INSERT INTO "tokens" VALUES('eye','reader',NULL,'aeda2ece0847ec372555e653161ba562ec3f1b51b77d3572dc5545c3097accc4',1.79512380928856205941e+09,NULL);
CREATE TABLE unswayed (
	version INTEGER NOT NULL
);
INSERT INTO "unswayed" VALUES(1);
COMMIT;
