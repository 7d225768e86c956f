// The forms of secrets that are known without being told: prefixes, lengths, alphabets and checksums, as their providers publish
// them.
import { refreshTokenPrefix, tokenPrefixes } from '#access/tokens.ts';
import { endsInCrc32 } from './checksums.ts';

type Provider = { readonly name: string; readonly slug: string };

export type SecretPattern = {
  /** `secret_type` of alerts. */
  readonly type: string;
  readonly name: string;
  /** Undefined for forms that no provider has for itself, which repositories look for by a switch of their own. */
  readonly provider: Provider | undefined;
  /** Every such secret begins with one of these texts. */
  readonly prefixes: readonly string[];
  /** The whole secret, from its beginning. */
  readonly form: RegExp;
  /** The most characters of such a secret. */
  readonly maxLength: number;
  readonly check?: (secret: string) => boolean;
};

const maxLengthOf = 512;

const provider = (name: string, slug = name.toLowerCase().replace(/\W+/g, '_')): Provider => ({ name, slug });

/** No further letter or digit follows. */
const end = '(?![A-Za-z0-9])';
/** No further character of base64url follows. */
const endUrl = '(?![A-Za-z0-9_-])';

type Rest = Partial<Pick<SecretPattern, 'check' | 'maxLength'>>;

/** A pattern of one prefix; `rest` is the regular expression of what follows it. */
const prefixed =
  (by: Provider) =>
  (type: string, name: string, prefix: string, rest: string, more: Rest = {}): SecretPattern => ({
    type,
    name,
    provider: by,
    prefixes: [prefix],
    form: new RegExp(`^${prefix.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}${rest}`),
    maxLength: maxLengthOf,
    ...more,
  });

const crc32 = '[0-9A-Za-z]{36}(?![A-Za-z0-9])';
const withCrc32 = (by: Provider) => {
  const of = prefixed(by);
  return (type: string, name: string, prefix: string) => of(type, name, prefix, crc32, { check: endsInCrc32(prefix) });
};

const hearth = withCrc32(provider('Hearth'));
const github = withCrc32(provider('GitHub'));
const githubOther = prefixed(provider('GitHub'));
const amazon = prefixed(provider('Amazon Web Services', 'amazon_aws'));
const slack = prefixed(provider('Slack'));
const stripe = prefixed(provider('Stripe'));
const gitlab = prefixed(provider('GitLab'));
const google = prefixed(provider('Google', 'google'));
const digitalOcean = prefixed(provider('DigitalOcean', 'digitalocean'));
const shopify = prefixed(provider('Shopify'));
const twilio = prefixed(provider('Twilio'));
const grafana = prefixed(provider('Grafana'));
const planetscale = prefixed(provider('PlanetScale', 'planetscale'));
const hashicorp = prefixed(provider('HashiCorp', 'hashicorp'));
const doppler = prefixed(provider('Doppler'));
const square = prefixed(provider('Square'));

export const providerPatterns: readonly SecretPattern[] = [
  hearth('hearth_personal_access_token', 'Hearth Personal Access Token', tokenPrefixes.classic_pat),
  hearth(
    'hearth_fine_grained_personal_access_token',
    'Hearth Fine-grained Personal Access Token',
    tokenPrefixes.fine_grained_pat,
  ),
  hearth('hearth_oauth_access_token', 'Hearth OAuth Access Token', tokenPrefixes.oauth_app),
  hearth('hearth_app_user_access_token', 'Hearth App User Access Token', tokenPrefixes.app_user),
  hearth('hearth_app_installation_access_token', 'Hearth App Installation Access Token', tokenPrefixes.installation),
  hearth('hearth_refresh_token', 'Hearth Refresh Token', refreshTokenPrefix),
  github('github_personal_access_token', 'GitHub Personal Access Token', 'ghp_'),
  github('github_oauth_access_token', 'GitHub OAuth Access Token', 'gho_'),
  github('github_app_user_access_token', 'GitHub App User Access Token', 'ghu_'),
  github('github_app_installation_access_token', 'GitHub App Installation Access Token', 'ghs_'),
  githubOther('github_refresh_token', 'GitHub Refresh Token', 'ghr_', `[0-9A-Za-z]{76}${end}`),
  githubOther(
    'github_fine_grained_personal_access_token',
    'GitHub Fine-grained Personal Access Token',
    'github_pat_',
    `[0-9A-Za-z]{22}_[0-9A-Za-z]{59}${end}`,
  ),
  amazon('aws_access_key_id', 'Amazon AWS Access Key ID', 'AKIA', `[A-Z2-7]{16}${end}`),
  amazon('aws_temporary_access_key_id', 'Amazon AWS Temporary Access Key ID', 'ASIA', `[A-Z2-7]{16}${end}`),
  slack('slack_api_token', 'Slack API Token', 'xox', `[abeoprs]-(?:[0-9]{1,16}-){1,4}[0-9A-Za-z]{16,128}${end}`),
  slack('slack_app_level_token', 'Slack App-level Token', 'xapp-', `[0-9]-[A-Z0-9]{8,16}-[0-9]{8,16}-[0-9a-f]{64}${end}`),
  slack(
    'slack_incoming_webhook_url',
    'Slack Incoming Webhook URL',
    'https://hooks.slack.com/services/',
    `T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[0-9A-Za-z]{20,28}${end}`,
  ),
  slack(
    'slack_workflow_webhook_url',
    'Slack Workflow Webhook URL',
    'https://hooks.slack.com/workflows/',
    `T[A-Z0-9]{8,12}/A[A-Z0-9]{8,12}/[0-9]{16,20}/[0-9A-Za-z]{20,28}${end}`,
  ),
  stripe('stripe_api_key', 'Stripe API Key', 'sk_live_', `[0-9A-Za-z]{24,247}${end}`),
  stripe('stripe_live_restricted_key', 'Stripe Live API Restricted Key', 'rk_live_', `[0-9A-Za-z]{24,247}${end}`),
  stripe('stripe_test_secret_key', 'Stripe Test API Secret Key', 'sk_test_', `[0-9A-Za-z]{24,247}${end}`),
  stripe('stripe_test_restricted_key', 'Stripe Test API Restricted Key', 'rk_test_', `[0-9A-Za-z]{24,247}${end}`),
  stripe('stripe_webhook_signing_secret', 'Stripe Webhook Signing Secret', 'whsec_', `[0-9A-Za-z]{32,64}${end}`),
  withCrc32(provider('npm'))('npm_access_token', 'npm Access Token', 'npm_'),
  gitlab(
    'gitlab_access_token',
    'GitLab Access Token',
    'glpat-',
    `[0-9A-Za-z_-]{20,64}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{9})?${endUrl}`,
  ),
  gitlab('gitlab_deploy_token', 'GitLab Deploy Token', 'gldt-', `[0-9A-Za-z_-]{20,64}${endUrl}`),
  gitlab('gitlab_runner_authentication_token', 'GitLab Runner Authentication Token', 'glrt-', `[0-9A-Za-z_-]{20,64}${endUrl}`),
  gitlab('gitlab_pipeline_trigger_token', 'GitLab Pipeline Trigger Token', 'glptt-', `[0-9a-f]{40}${end}`),
  google('google_api_key', 'Google API Key', 'AIza', `[0-9A-Za-z_-]{35}${endUrl}`),
  google('google_oauth_client_secret', 'Google OAuth Client Secret', 'GOCSPX-', `[0-9A-Za-z_-]{28}${endUrl}`),
  // A macaroon whose location is pypi.org.
  prefixed(provider('PyPI', 'pypi'))(
    'pypi_api_token',
    'PyPI API Token',
    'pypi-AgEIcHlwaS5vcmc',
    `[0-9A-Za-z_-]{50,400}${endUrl}`,
  ),
  prefixed(provider('RubyGems', 'rubygems'))('rubygems_api_key', 'RubyGems API Key', 'rubygems_', `[0-9a-f]{48}${end}`),
  prefixed(provider('NuGet', 'nuget'))('nuget_api_key', 'NuGet API Key', 'oy2', `[0-9a-z]{43}${end}`),
  prefixed(provider('crates.io', 'crates_io'))('crates_io_api_token', 'crates.io API Token', 'cio', `[0-9A-Za-z]{32}${end}`),
  prefixed(provider('Clojars'))('clojars_deploy_token', 'Clojars Deploy Token', 'CLOJARS_', `[0-9a-f]{60}${end}`),
  prefixed(provider('Docker'))(
    'docker_personal_access_token',
    'Docker Personal Access Token',
    'dckr_pat_',
    `[0-9A-Za-z_-]{27}${endUrl}`,
  ),
  prefixed(provider('SendGrid', 'sendgrid'))(
    'sendgrid_api_key',
    'SendGrid API Key',
    'SG.',
    `[0-9A-Za-z_-]{22}\\.[0-9A-Za-z_-]{43}${endUrl}`,
  ),
  twilio('twilio_api_key', 'Twilio API Key', 'SK', `[0-9a-f]{32}${end}`, { maxLength: 34 }),
  twilio('twilio_account_sid', 'Twilio Account SID', 'AC', `[0-9a-f]{32}${end}`, { maxLength: 34 }),
  digitalOcean('digitalocean_personal_access_token', 'DigitalOcean Personal Access Token', 'dop_v1_', `[0-9a-f]{64}${end}`),
  digitalOcean('digitalocean_oauth_token', 'DigitalOcean OAuth Token', 'doo_v1_', `[0-9a-f]{64}${end}`),
  digitalOcean('digitalocean_refresh_token', 'DigitalOcean Refresh Token', 'dor_v1_', `[0-9a-f]{64}${end}`),
  shopify('shopify_access_token', 'Shopify Access Token', 'shpat_', `[0-9a-fA-F]{32}${end}`),
  shopify('shopify_custom_app_access_token', 'Shopify Custom App Access Token', 'shpca_', `[0-9a-fA-F]{32}${end}`),
  shopify('shopify_private_app_password', 'Shopify Private App Password', 'shppa_', `[0-9a-fA-F]{32}${end}`),
  shopify('shopify_app_shared_secret', 'Shopify App Shared Secret', 'shpss_', `[0-9a-fA-F]{32}${end}`),
  square('square_access_token', 'Square Access Token', 'sq0atp-', `[0-9A-Za-z_-]{22}${endUrl}`),
  square('square_production_application_secret', 'Square Application Secret', 'sq0csp-', `[0-9A-Za-z_-]{43}${endUrl}`),
  prefixed(provider('Postman'))('postman_api_key', 'Postman API Key', 'PMAK-', `[0-9a-f]{24}-[0-9a-f]{34}${end}`),
  prefixed(provider('OpenAI', 'openai'))(
    'openai_api_key',
    'OpenAI API Key',
    'sk-',
    `(?:(?:proj|svcacct|admin)-)?[0-9A-Za-z_-]{20,100}T3BlbkFJ[0-9A-Za-z_-]{20,100}${endUrl}`,
  ),
  prefixed(provider('Anthropic'))(
    'anthropic_api_key',
    'Anthropic API Key',
    'sk-ant-',
    `(?:api|admin)[0-9]{2}-[0-9A-Za-z_-]{93}AA${endUrl}`,
  ),
  prefixed(provider('Hugging Face'))('hf_user_access_token', 'Hugging Face User Access Token', 'hf_', `[A-Za-z]{34}${end}`),
  grafana('grafana_cloud_api_token', 'Grafana Cloud API Token', 'glc_', `[0-9A-Za-z+/]{32,400}={0,2}${end}`),
  grafana('grafana_service_account_token', 'Grafana Service Account Token', 'glsa_', `[0-9A-Za-z]{32}_[0-9a-f]{8}${end}`),
  planetscale('planetscale_database_password', 'PlanetScale Database Password', 'pscale_pw_', `[0-9A-Za-z_.-]{32,64}${endUrl}`),
  planetscale('planetscale_oauth_token', 'PlanetScale OAuth Token', 'pscale_oauth_', `[0-9A-Za-z_.-]{32,64}${endUrl}`),
  planetscale('planetscale_service_token', 'PlanetScale Service Token', 'pscale_tkn_', `[0-9A-Za-z_.-]{32,64}${endUrl}`),
  hashicorp('hashicorp_vault_service_token', 'HashiCorp Vault Service Token', 'hvs.', `[0-9A-Za-z_-]{90,300}${endUrl}`),
  hashicorp('hashicorp_vault_batch_token', 'HashiCorp Vault Batch Token', 'hvb.', `[0-9A-Za-z_-]{130,400}${endUrl}`),
  doppler('doppler_personal_token', 'Doppler Personal Token', 'dp.pt.', `[0-9A-Za-z]{40,44}${end}`),
  doppler('doppler_service_token', 'Doppler Service Token', 'dp.st.', `(?:[0-9a-z_-]{2,35}\\.)?[0-9A-Za-z]{40,44}${end}`),
  prefixed(provider('Pulumi'))('pulumi_access_token', 'Pulumi Access Token', 'pul-', `[0-9a-f]{40}${end}`),
  prefixed(provider('Linear'))('linear_api_key', 'Linear API Key', 'lin_api_', `[0-9A-Za-z]{40}${end}`),
  prefixed(provider('New Relic'))('new_relic_personal_api_key', 'New Relic Personal API Key', 'NRAK-', `[0-9A-Z]{27}${end}`),
  prefixed(provider('Sentry'))('sentry_user_auth_token', 'Sentry User Auth Token', 'sntryu_', `[0-9a-f]{64}${end}`),
  prefixed(provider('Databricks'))('databricks_access_token', 'Databricks Access Token', 'dapi', `[0-9a-f]{32}(?:-[0-9])?${end}`),
  prefixed(provider('Dynatrace'))(
    'dynatrace_access_token',
    'Dynatrace Access Token',
    'dt0c01.',
    `[A-Z2-7]{24}\\.[A-Z2-7]{64}${end}`,
  ),
  prefixed(provider('Atlassian'))(
    'atlassian_api_token',
    'Atlassian API Token',
    'ATATT3',
    `[0-9A-Za-z_-]{180,200}=[0-9A-F]{8}${end}`,
  ),
  prefixed(provider('Supabase'))(
    'supabase_personal_access_token',
    'Supabase Personal Access Token',
    'sbp_',
    `[0-9a-f]{40}${end}`,
  ),
  prefixed(provider('Contentful'))(
    'contentful_personal_access_token',
    'Contentful Personal Access Token',
    'CFPAT-',
    `[0-9A-Za-z_-]{43}${endUrl}`,
  ),
  prefixed(provider('Brevo', 'sendinblue'))(
    'sendinblue_api_key',
    'Brevo API Key',
    'xkeysib-',
    `[0-9a-f]{64}-[0-9A-Za-z]{16}${end}`,
  ),
  prefixed(provider('EasyPost', 'easypost'))(
    'easypost_production_api_key',
    'EasyPost Production API Key',
    'EZAK',
    `[0-9A-Za-z]{54}${end}`,
  ),
  prefixed(provider('Alibaba Cloud'))(
    'alibaba_cloud_access_key_id',
    'Alibaba Cloud AccessKey ID',
    'LTAI',
    `[0-9A-Za-z]{12,20}${end}`,
  ),
];

/** A private key between lines of dashes. What is inside holds no such line. */
const privateKey = (type: string, name: string, label: string): SecretPattern => ({
  type,
  name,
  provider: undefined,
  prefixes: [`-----BEGIN ${label}-----`],
  form: new RegExp(`^-----BEGIN ${label}-----(?:[^-]|-(?!----)){32,16000}-----END ${label}-----`),
  maxLength: 16_384,
});

/** A database's address with a password in it. */
const connection = (type: string, name: string, ...schemes: string[]): SecretPattern => ({
  type,
  name,
  provider: undefined,
  prefixes: schemes.map((scheme) => `${scheme}://`),
  form: /^[a-z+]+:\/\/[^\s:@/"'<>${}]{1,64}:[^\s:@/"'<>${}]{6,128}@\w[\w.-]{1,251}\w/,
  maxLength: maxLengthOf,
});

/** Forms that no provider has for itself. */
export const genericPatterns: readonly SecretPattern[] = [
  privateKey('rsa_private_key', 'RSA Private Key', 'RSA PRIVATE KEY'),
  privateKey('ec_private_key', 'EC Private Key', 'EC PRIVATE KEY'),
  privateKey('openssh_private_key', 'OpenSSH Private Key', 'OPENSSH PRIVATE KEY'),
  privateKey('pgp_private_key', 'PGP Private Key', 'PGP PRIVATE KEY BLOCK'),
  privateKey('generic_private_key', 'Generic Private Key', 'PRIVATE KEY'),
  connection('postgres_connection_string', 'PostgreSQL Connection String', 'postgres', 'postgresql'),
  connection('mysql_connection_string', 'MySQL Connection String', 'mysql'),
  connection('mongodb_connection_string', 'MongoDB Connection String', 'mongodb', 'mongodb+srv'),
];

/** Raised with the patterns, so that repositories are scanned for the new ones. */
export const patternsVersion = 1;

const byType = new Map([...providerPatterns, ...genericPatterns].map((pattern) => [pattern.type, pattern]));

export const patternOf = (type: string): SecretPattern | undefined => byType.get(type);

export const genericTypes: readonly string[] = genericPatterns.map(({ type }) => type);
