/** Starts the local stack as `npm start` does, in the given folder; stops it when the parent process disconnects. */
import { startStack } from 'functions-local';
import { sluiceStack } from '../../demo/stack.ts';

const stack = await startStack(sluiceStack(process.argv[2] ?? ''));
process.once('disconnect', () => void stack.stop().finally(() => process.exit(0)));
process.send?.('ready');
