/**
 * The result of a registration. The first `dispose` undoes the registration. The library expects a class with these members.
 */
export class Disposable {
  #action: (() => unknown) | undefined;

  constructor(action: () => unknown) {
    this.#action = action;
  }

  /** Combines several disposables into one. */
  static from(...disposables: { dispose: () => unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) disposable.dispose();
    });
  }

  dispose(): unknown {
    const action = this.#action;
    this.#action = undefined;
    return action?.();
  }
}
