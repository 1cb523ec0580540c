/** The time that everything on the page shows. */

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

type Listener = () => void;

export class Player {
  time: number;
  playing = false;
  loop = true;
  speed: number;
  private readonly listeners: Listener[] = [];

  /** `steps` are times to step through (s), rising. */
  constructor(
    readonly from: number,
    public to: number,
    public steps: ArrayLike<number> = [],
  ) {
    this.time = from;
    this.speed = agreeable(to - from);
  }

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  seek(t: number): void {
    this.time = Math.min(this.to, Math.max(this.from, t));
    this.tell();
  }

  /** Moves the end; who looks at the end stays there. */
  extend(to: number): void {
    const atEnd = this.time >= this.to;
    this.to = to;
    if (atEnd && !this.playing) this.time = to;
    this.tell();
  }

  toggle(play = !this.playing): void {
    this.playing = play && this.to > this.from;
    if (this.playing && this.time >= this.to) this.time = this.from;
    this.tell();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tell();
  }

  /** Goes to the next or previous sample. */
  step(direction: 1 | -1): void {
    this.playing = false;
    const { steps, time } = this;
    const small = 1e-12 * Math.max(1, Math.abs(time));
    let next = direction > 0 ? this.to : this.from;
    let low = 0;
    let high = steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (direction > 0 ? steps[middle]! <= time + small : steps[middle]! < time - small) low = middle + 1;
      else high = middle;
    }
    const found = direction > 0 ? low : low - 1;
    if (found >= 0 && found < steps.length) next = steps[found]!;
    this.seek(next);
  }

  /** Moves on by `seconds` of the clock on the wall. */
  advance(seconds: number): void {
    if (!this.playing) return;
    let t = this.time + seconds * this.speed;
    if (t >= this.to) {
      if (this.loop) t = this.from + ((t - this.from) % (this.to - this.from));
      else {
        t = this.to;
        this.playing = false;
      }
    }
    this.seek(t);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** A speed at which a run of this length (s) takes neither a blink nor an evening. */
export function agreeable(length: number): number {
  if (!(length > 0)) return 1;
  if (length >= 2 && length <= 60) return 1;
  const wanted = length < 2 ? length / 6 : length / 30;
  const speeds = SPEEDS.filter((speed) => speed <= wanted);
  return speeds[speeds.length - 1] ?? SPEEDS[0]!;
}
