import { nodeId } from '#lib/id.ts';
import type { IssueFieldValue } from './schemas.ts';
import { formatted } from './value.ts';
import type { HeldValue } from './value-store.ts';

/**
 * The value of an issue in a field. As in the public API, `value` of a single choice is the option's id, and multiple choices are
 * a separate list.
 */
export function presentFieldValue({ issue_id, field_id, name, data_type, value }: HeldValue): IssueFieldValue {
  const common = {
    issue_field_id: field_id,
    issue_field_name: name,
    node_id: nodeId('IssueFieldValue', `${issue_id}:${field_id}`),
    data_type,
  };
  if (value.kind !== 'options')
    return { ...common, value: value.kind === 'number' ? value.number : String(formatted(data_type, value)) };
  if (data_type === 'multi_select') return { ...common, value: null, multi_select_options: [...value.options] };
  const [option] = value.options;
  return { ...common, value: option?.id ?? null, ...(option ? { single_select_option: option } : {}) };
}
