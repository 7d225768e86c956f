// The shapes of the objects in an archive.
import { Type } from 'typebox';
import { Nullable, OneOf } from '#lib/shape.ts';
import { contents } from '#resources/collaboration/reactions/index.ts';

/** Objects are named by the addresses that people know them by. */
export const Address = Type.String({ maxLength: 2_000 });
export type Address = string;
export const AddressOrNull = Nullable(Address);
export const Text = Type.String();
export const TextOrNull = Nullable(Text);
export const Time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$' });
export const TimeOrNull = Nullable(Time);

export const Reaction = Type.Object({ user: AddressOrNull, content: OneOf(contents), created_at: Time });

export const Oid = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' });

export const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

export const CountOrNull = Nullable(Count);
