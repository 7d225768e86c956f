export type { GroupData } from './events.ts';
