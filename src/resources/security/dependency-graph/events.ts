import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** A repository's dependencies were read again, or submitted. */
    'dependency_graph.read': Record<never, never>;
  }
}

export const dependencyGraphEvents = eventKinds({ 'dependency_graph.read': 'no webhook' });
