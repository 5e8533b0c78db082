-- Reservations that are changed in place (docs/decisions/reservations.md).

-- version: grows with each change of a reservation or of its targets. changed_by: the member who made the last one.
ALTER TABLE reservation
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN changed_at timestamptz,
  ADD COLUMN changed_by bigint,
  ADD FOREIGN KEY (account_id, changed_by) REFERENCES member (account_id, id) ON DELETE SET NULL (changed_by);

-- A page of the account's reservations by time, and the reservations of a month.
CREATE INDEX reservation_page_idx ON reservation (account_id, send_at, id) WHERE active;

-- The history of one reservation.
CREATE INDEX audit_event_reservation_idx ON audit_event (account_id, (detail ->> 'reservation_id'))
  WHERE detail ->> 'reservation_id' IS NOT NULL;

-- The run of a reservation.
CREATE INDEX send_log_reservation_idx ON send_log (account_id, reservation_id) WHERE reservation_id IS NOT NULL;
