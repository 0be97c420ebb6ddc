-- Why a person made a change, for the person who reads its audit record. Of a change whose own columns hold a reason: null.
-- The call gives it as a setting of its transaction, so that no function of a change has to pass it on.
alter table audit_record add column reason text default nullif(current_setting('lps.reason', true), '');
