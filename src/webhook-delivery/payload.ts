import { nodeId } from '#lib/id.ts';

/** A stored payload, with the installation of the receiving webhook. */
type StoredPayload = {
  /** The JSON text of an object. */
  body: string;
  /** Whether the body already contains the installation. */
  names_installation: boolean;
  installation_id: number | null;
};

/** The JSON text of a delivery. Webhooks of apps get the shared payload with their installation added. */
export function payloadText({ body, names_installation, installation_id }: StoredPayload): string {
  if (installation_id === null || names_installation) return body;
  const installation = { id: installation_id, node_id: nodeId('Installation', installation_id) };
  return `${body.slice(0, -1)},"installation":${JSON.stringify(installation)}}`;
}
