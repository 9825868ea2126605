/** The result of a registration: `dispose` undoes it, once. The library expects a class of this shape. */
export class Disposable {
  #action: (() => unknown) | undefined;

  constructor(action: () => unknown) {
    this.#action = action;
  }

  /** One disposable for several. */
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
