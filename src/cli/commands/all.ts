import { configCommand } from './config.ts';
import { serveCommand } from './serve.ts';
import { workCommand } from './work.ts';

/** Every command of `hearth`, in the order of its help. */
export const commands = [serveCommand, workCommand, configCommand];
