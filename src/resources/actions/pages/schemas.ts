import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';

const buildTypes = ['legacy', 'workflow'] as const;
const sourcePaths = ['/', '/docs'] as const;

/** The branch and folder that a website is built from. */
const Source = Type.Object({ branch: Type.String(), path: OneOf(sourcePaths) });
export type Source = Static<typeof Source>;

/** A website of a repository. */
export const Page = Type.Object({
  url: Type.String(),
  status: Nullable(OneOf(['built', 'building', 'errored'])),
  cname: Nullable(Type.String()),
  protected_domain_state: Type.Null(),
  pending_domain_unverified_at: Type.Null(),
  custom_404: Type.Boolean(),
  html_url: Type.Optional(Type.String()),
  build_type: OneOf(buildTypes),
  source: Source,
  public: Type.Boolean(),
  https_enforced: Type.Boolean(),
});
export type Page = Static<typeof Page>;

const branch = Type.String({ minLength: 1, maxLength: 255 });

export const NewPage = Type.Object(
  {
    build_type: Type.Optional(OneOf(buildTypes)),
    source: Type.Optional(Type.Object({ branch, path: withDefault(OneOf(sourcePaths), '/') })),
  },
  { title: 'Page' },
);
export type NewPage = Static<typeof NewPage>;

export const PageChange = Type.Object(
  {
    cname: Type.Optional(Nullable(Type.String({ maxLength: 1_024 }))),
    https_enforced: Type.Optional(Type.Boolean()),
    build_type: Type.Optional(OneOf(buildTypes)),
    public: Type.Optional(Type.Boolean()),
    source: Type.Optional(
      Type.Union([
        // The branch, followed by `/docs` for that folder.
        Type.String({ minLength: 1, maxLength: 261 }),
        Type.Object({ branch, path: OneOf(sourcePaths) }),
      ]),
    ),
  },
  { title: 'Page' },
);
export type PageChange = Static<typeof PageChange>;

/** A build of a website from its branch. */
export const PageBuild = Type.Object({
  url: Type.String(),
  status: OneOf(['queued', 'building', 'built', 'errored']),
  error: Type.Object({ message: Nullable(Type.String()) }),
  pusher: Nullable(User),
  commit: Type.String(),
  duration: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type PageBuild = Static<typeof PageBuild>;

export const NewPageDeployment = Type.Object(
  {
    artifact_id: Type.Optional(Type.Integer({ minimum: 1, maximum: maxId })),
    artifact_url: Type.Optional(Type.String({ maxLength: 2_048 })),
    environment: Type.Optional(Type.String({ maxLength: 255 })),
    pages_build_version: Type.String({ minLength: 1, maxLength: 255 }),
    oidc_token: Type.String({ minLength: 1, maxLength: 16_384 }),
  },
  { title: 'PageDeployment' },
);
export type NewPageDeployment = Static<typeof NewPageDeployment>;

/** A deployment of a website by a workflow. */
export const PageDeployment = Type.Object({ id: Type.Integer(), status_url: Type.String(), page_url: Type.String() });
export type PageDeployment = Static<typeof PageDeployment>;

export const PageDeploymentStatus = Type.Object({
  status: OneOf(['deployment_in_progress', 'syncing_files', 'succeed', 'deployment_content_failed', 'deployment_cancelled']),
});
export type PageDeploymentStatus = Static<typeof PageDeploymentStatus>;

/** The reply to a request for a build. */
export const PageBuildStatus = Type.Object({ url: Type.String(), status: Type.String() });

const known = Nullable(Type.Boolean());

/** The DNS records and the web server of a domain. Null means unknown. */
const DomainHealth = Type.Object({
  host: Type.String(),
  uri: Type.String(),
  nameservers: Type.String(),
  dns_resolves: Type.Boolean(),
  is_proxied: known,
  is_cloudflare_ip: known,
  is_fastly_ip: known,
  is_old_ip_address: known,
  is_a_record: known,
  has_cname_record: known,
  has_mx_records_present: known,
  is_valid_domain: Type.Boolean(),
  is_apex_domain: Type.Boolean(),
  should_be_a_record: known,
  is_cname_to_service_user_domain: known,
  is_cname_to_pages_dot_service_dot_com: known,
  is_cname_to_fastly: known,
  is_pointed_to_service_pages_ip: known,
  is_non_service_pages_ip_present: known,
  is_pages_domain: Type.Boolean(),
  is_served_by_pages: known,
  is_valid: Type.Boolean(),
  reason: Nullable(Type.String()),
  responds_to_https: Type.Boolean(),
  enforces_https: Type.Boolean(),
  https_error: Nullable(Type.String()),
  is_https_eligible: known,
  caa_error: Nullable(Type.String()),
});
export type DomainHealth = Static<typeof DomainHealth>;

export const PagesHealth = Type.Object({ domain: DomainHealth, alt_domain: Type.Optional(DomainHealth) });
export type PagesHealth = Static<typeof PagesHealth>;

/** The check is still running. */
export const HealthPending = Type.Object({});
