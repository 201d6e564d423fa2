const MOST = 3;
const WITHIN = 180_000;

/** Whether a server that ended may be started again: a few times, not for ever. */
export class Restarts {
  private times: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  areLeft(): boolean {
    const now = this.now();
    this.times = [...this.times.filter((time) => now - time < WITHIN), now];
    return this.times.length <= MOST;
  }
}
