import { StartupError } from '#lib/startup-error.ts';
import type { Outbound } from '#net/outbound.ts';
import { type BucketOptions, openBucket } from './bucket.ts';
import { openObjectFolder } from './folder.ts';
import type { ObjectStore } from './store.ts';

/** A bucket, and the prefix of all names in it: empty, or without a trailing slash. */
export type BucketName = { readonly bucket: string; readonly prefix: string };

/** The location of large files: a bucket if one is configured, otherwise a folder. */
export type ObjectSettings = {
  readonly at?: BucketName | undefined;
  /** The endpoint of a server other than Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Whether the bucket is in the URL's path, and not in its host. Omitted: true with a custom endpoint. */
  readonly pathStyle?: boolean | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
} & Pick<BucketOptions, 'timeout' | 'slowestRate' | 'checkEvery' | 'onFailure'>;

/** `s3://bucket/prefix` for a bucket and its prefix. */
export const bucketText = ({ bucket, prefix }: BucketName): string => `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;

/**
 * Opens the configured store.
 * @param folder the folder of the files, if no bucket is configured
 * @param installation the id of the installation in the folder's marker
 * @throws StartupError if the credentials of a bucket are missing
 */
export function openObjects(
  settings: ObjectSettings | undefined,
  folder: string,
  outbound: Outbound,
  installation?: string,
): ObjectStore {
  if (!settings?.at) return openObjectFolder(folder, installation);
  const { at, accessKeyId, secretAccessKey, sessionToken, endpoint, region, pathStyle = endpoint !== undefined } = settings;
  const { timeout, slowestRate, checkEvery, onFailure } = settings;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new StartupError('HEARTH_OBJECTS needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return openBucket({ ...at, endpoint, region, pathStyle, credentials, outbound, timeout, slowestRate, checkEvery, onFailure });
}
