"""Tables that people write and read: sheets of plays, old measurements, exports."""
