interface Form {
  readonly max: number
  readonly onChange: (taken: number) => void
}

/** So much may go on at once: a queue without end answers nobody. */
export class Slots {
  private readonly form: Form
  private taken = 0

  constructor(form: Form) {
    this.form = form
  }

  /** @returns null where all are taken */
  hold<T>(work: () => Promise<T>): Promise<T> | null {
    if (this.taken >= this.form.max) return null
    return this.held(work)
  }

  private async held<T>(work: () => Promise<T>): Promise<T> {
    this.count(1)
    try {
      return await work()
    } finally {
      this.count(-1)
    }
  }

  private count(change: number): void {
    this.taken += change
    this.form.onChange(this.taken)
  }
}
