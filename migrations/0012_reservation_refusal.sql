-- Why a reservation whose time has come could not be sent when that was last tried, in words for its owner.
ALTER TABLE reservation ADD COLUMN refused_reason text;
