import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { SimpleRepository } from '#resources/repositories/repositories/index.ts';

const levels = ['public', 'internal'] as const;

export const BotAccess = Type.Object({
  default_level: Nullable(OneOf(levels)),
  accessible_repositories: Type.Array(SimpleRepository),
});

const Ids = Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), { maxItems: 1_000 });

export const BotAccessChange = Type.Object(
  { repository_ids_to_add: Type.Optional(Ids), repository_ids_to_remove: Type.Optional(Ids) },
  { title: 'DependencyBotAccess', minProperties: 1 },
);
export type BotAccessChange = Static<typeof BotAccessChange>;

export const BotDefaultLevel = Type.Object({ default_level: OneOf(levels) }, { title: 'DependencyBotAccess' });
export type BotDefaultLevel = Static<typeof BotDefaultLevel>;
