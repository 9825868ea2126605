/** A thread file that fails to load. */
throw new Error('a setting is missing');
