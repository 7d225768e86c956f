-- The security managers of organizations: members who have the predefined role of that name, themselves or through a team.
create view security_managers as
  select h.organization_id, h.user_id from organization_role_holders h
    where h.role_id = (
      select r.id from organization_roles r where r.organization_id is null and lower(r.name) = 'security_manager');

update organization_roles
  set description = 'Reads all repositories of the organization, and manages its security: alerts, settings and advisories.'
  where organization_id is null and name = 'security_manager';
