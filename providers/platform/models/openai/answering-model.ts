/** A date or a version at the end of a name, by which services name the release that an alias stands for. */
const RELEASE = /[-@:._](?:\d{4}-?\d{2}-?\d{2}|\d{2}-\d{2,4}|\d{3,6}|v\d[\d.]*|latest|preview|exp)$/

/** A name without the path before it, the ending of a file and its release. */
function plainName(name: string): string {
  let plain = name
    .toLowerCase()
    .split(/[/\\]/)
    .at(-1)!
    .replace(/\.gguf$/, '')
  while (RELEASE.test(plain)) plain = plain.replace(RELEASE, '')
  return plain
}

const withoutTag = (name: string): string => name.split(':')[0]!

/** The name in an answer, where it is another model than the one that was asked for; null where it is the same, or not named. */
export function otherModel(asked: string, answered: string): string | null {
  const [one, other] = [plainName(asked), plainName(answered)]
  if (answered.trim() === '' || one === other) return null
  // One of the two may leave out what the other has after a colon.
  const isShort = !one.includes(':') || !other.includes(':')
  return isShort && withoutTag(one) === withoutTag(other) ? null : answered.slice(0, 120)
}
