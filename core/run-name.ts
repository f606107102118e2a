/** The most that a name takes of a dataset's or a model set's. */
const PART_CHARACTERS = 48

const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** The default name of a run: what it asks, with which models, and when by the clock of this machine, as in `handbook-qwen-2026-11-30-140512`. */
export function runNameOf(datasets: readonly string[], modelSet: string, now: Date): string {
  const [first = 'run', ...others] = datasets
  const day = [now.getFullYear(), twoDigits(now.getMonth() + 1), twoDigits(now.getDate())].join('-')
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(twoDigits).join('')
  return [
    first.slice(0, PART_CHARACTERS),
    ...(others.length === 0 ? [] : [`and-${others.length}-more`]),
    modelSet.slice(0, PART_CHARACTERS),
    day,
    time,
  ].join('-')
}
