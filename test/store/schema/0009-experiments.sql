table experiment
  experiment_id text collate "C" PRIMARY KEY (experiment_id)
  name text
  body text
  until_at timestamp with time zone null
  runs tstzmultirange
table experiment_member
  experiment_id text collate "C"
  member_id text collate "C"
  arm_id text collate "C"
  currency text
  entered_at timestamp with time zone
  counted boolean default false
  left_out boolean default false
  entry integer default 0
  past integer default 0
  spend bigint default 0
  visits bigint default 0
  net bigint default 0
  refunded bigint default 0
  discount bigint default 0
  given bigint default 0
  PRIMARY KEY (experiment_id, member_id)
  INDEX experiment_entry ON public.experiment_member USING btree (experiment_id, member_id) WHERE ((NOT counted) AND (NOT left_out))
  INDEX experiment_left_out ON public.experiment_member USING btree (experiment_id) WHERE left_out
  INDEX experiment_of_member ON public.experiment_member USING btree (member_id, experiment_id)
table experiment_return
  return_id bigint PRIMARY KEY (return_id)
table experiment_sum
  experiment_id text collate "C"
  arm_id text collate "C"
  currency text collate "C"
  day date
  figure text collate "C"
  amount numeric
  PRIMARY KEY (experiment_id, arm_id, currency, day, figure)
table experiment_withheld
  calculation_id uuid
  experiment_id text collate "C"
  arm_id text collate "C"
  currency text collate "C"
  leased_until timestamp with time zone default '-infinity'::timestamp with time zone
  PRIMARY KEY (calculation_id, experiment_id)
