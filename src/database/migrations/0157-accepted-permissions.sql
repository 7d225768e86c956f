-- A user's token of an app holds the permissions that its user agreed to. An app that asks for more later gets them from those who agree anew.
alter table authorization_codes add column permissions jsonb not null default '{}';
alter table device_codes add column permissions jsonb not null default '{}';
update authorization_codes c set permissions = a.permissions from apps a where a.id = c.app_id;
update device_codes c set permissions = a.permissions from apps a where a.id = c.app_id;
update tokens t set permissions = a.permissions from apps a where a.id = t.app_id and t.kind = 'app_user';
