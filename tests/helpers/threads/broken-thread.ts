/** A thread's file that does not load. */
throw new Error('a setting is missing');
