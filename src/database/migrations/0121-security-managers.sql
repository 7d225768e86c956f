-- The role of those who look after the security of an organization. They read all of its repositories.
insert into organization_roles (name, description, base_role) values
  ('security_manager', 'Looks after the security of the organization, and reads all of its repositories.', 'read');
