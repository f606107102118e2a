import type { DocumentName } from './name-mentions.ts'

/** Words at the end of an organisation's name that texts leave out at the second mention, in normal form. */
const LEGAL_FORMS = new Set(
  'company corporation incorporated limited plc llc llp gmbh ag sa nv bv holdings group sons brothers'.split(' '),
)
/** Letters before a ship's name. */
const SHIP_PREFIXES = new Set('ss ms mv mt my rv rms rrs hms hmcs hmas uss sv fv mfv rnlb tss ps'.split(' '))

/** A name without legal form or ship's prefix; the same name when it has neither. */
export function coreName(normal: string): string {
  let words = normal.split(' ')
  if (words.length > 1 && SHIP_PREFIXES.has(words[0]!)) words = words.slice(1)
  while (words.length > 1 && (LEGAL_FORMS.has(words.at(-1)!) || words.at(-1) === 'and')) words = words.slice(0, -1)
  return words.join(' ')
}

/** True when models took the two for the same kind of thing at least once. */
export function sameKind(a: DocumentName, b: DocumentName): boolean {
  return [...a.types.keys()].some((type) => b.types.has(type))
}
