import { nodeId } from '#lib/id.ts';

/** A payload as it is stored, with the installation by which a hook gets it. */
export type StoredPayload = {
  /** The JSON text of an object. */
  body: string;
  /** Whether the body names the installation already. */
  names_installation: boolean;
  installation_id: number | null;
};

/** The JSON text that a hook is sent. Hooks of apps get the payload that all hooks share, with their installation added. */
export function payloadText({ body, names_installation, installation_id }: StoredPayload): string {
  if (installation_id === null || names_installation) return body;
  const installation = { id: installation_id, node_id: nodeId('Installation', installation_id) };
  return `${body.slice(0, -1)},"installation":${JSON.stringify(installation)}}`;
}
