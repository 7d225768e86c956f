import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'hosted_runner.created': { runner: Id<'hosted_runners'> };
    'hosted_runner.updated': { runner: Id<'hosted_runners'> };
    'hosted_runner.deleted': { runner: Id<'hosted_runners'>; name: string };
    'custom_image.published': { image: Id<'custom_images'>; version: string; runner: Id<'hosted_runners'> };
    'custom_image.deleted': { image: Id<'custom_images'>; name: string };
    'custom_image_version.deleted': { image: Id<'custom_images'>; version: string };
  }
}

export const hostedRunnerEvents = eventKinds({
  'hosted_runner.created': 'no webhook',
  'hosted_runner.updated': 'no webhook',
  'hosted_runner.deleted': 'no webhook',
  'custom_image.published': 'no webhook',
  'custom_image.deleted': 'no webhook',
  'custom_image_version.deleted': 'no webhook',
});
