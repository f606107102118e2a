import type { ExtractedChunk } from '../storage/extraction-store.ts'
import { corpusAcronyms, definedAcronyms } from './acronyms.ts'
import { collectNames, withoutParentheses } from './name-mentions.ts'
import type { DocumentName, NamesByDocument } from './name-mentions.ts'
import { normalName } from './normal-name.ts'
import { isPerson, mayBePerson, personWords, plainPerson, shortensPerson } from './person-names.ts'
import { coreName, sameKind } from './short-forms.ts'

/** Which entity a spelling means in a document: the normal name that stands for it in the whole corpus. Empty for no name at all. */
export type NameResolver = (documentId: string, spelling: string) => string

/** What the corpus as a whole knows of names; used where a document alone leaves a name unexplained. */
interface CorpusNames {
  acronyms: ReadonlyMap<string, string>
  /** Persons with at least two names, plain. */
  people: ReadonlySet<string>
  /** Plain names of persons by surname. */
  surnames: ReadonlyMap<string, ReadonlySet<string>>
  /** Types of each longer name, by what is left of it without legal form or ship's prefix. */
  cores: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>
}

/**
 * Decides which names are one entity. Equal normal names always are. A name that is short for another is joined with it when only one
 * can be meant, in its own document first, then in the corpus: acronyms that a text explains, surnames, first names (in the document
 * only) and titled names of persons, names without legal form or ship's prefix. Where two could be meant, names stay apart.
 */
export function resolveNames(chunks: readonly ExtractedChunk[]): NameResolver {
  const names = collectNames(chunks)
  const defined = definedAcronyms(chunks, names)
  const corpus = corpusNames(names, corpusAcronyms(defined))
  const resolved = new Map<string, Map<string, string>>()
  for (const [documentId, ofDocument] of names) {
    const all = [...ofDocument.values()]
    const toLong = new Map<string, string>()
    for (const name of all) {
      const long = defined.get(documentId)?.get(name.normal) ?? inDocument(name, all) ?? inCorpus(name, corpus)
      if (long !== undefined && long !== name.normal) toLong.set(name.normal, long)
    }
    resolved.set(documentId, toLong)
  }
  return (documentId, spelling) =>
    follow(resolved.get(documentId), normalName(withoutParentheses(spelling).long), (name) => corpusPlain(name, corpus))
}

/** An alias may stand for another: "Capt Raines" for "Raines" for "Cuthbert Raines". */
function follow(
  toLong: ReadonlyMap<string, string> | undefined,
  normal: string,
  last: (normal: string) => string,
): string {
  const seen = new Set<string>()
  let current = normal
  for (let next = toLong?.get(current); next !== undefined && !seen.has(next); next = toLong?.get(current)) {
    seen.add(current)
    current = next
  }
  return last(current)
}

/** "Dr Agnes M Tolland" is "Agnes Tolland" wherever the corpus writes that plain name too. */
function corpusPlain(normal: string, corpus: CorpusNames): string {
  const plain = plainPerson(normal)
  return corpus.people.has(plain) ? plain : normal
}

function inDocument(name: DocumentName, all: readonly DocumentName[]): string | undefined {
  const longer = all.filter((other) => other !== name && isLongForm(name, other))
  return onlyOne(new Set(longer.map((other) => (isPerson(other) ? plainPerson(other.normal) : other.normal))), longer)
}

function isLongForm(short: DocumentName, long: DocumentName): boolean {
  if (isPerson(long)) return mayBePerson(short) && shortensPerson(personWords(short.normal), personWords(long.normal))
  if (isPerson(short) || !(short.types.size === 0 || sameKind(short, long))) return false
  return short.normal.length < long.normal.length && coreName(long.normal) === short.normal
}

/** The one long form that all candidates are spellings of. */
function onlyOne(meanings: ReadonlySet<string>, candidates: readonly DocumentName[]): string | undefined {
  return meanings.size === 1 ? candidates[0]!.normal : undefined
}

function inCorpus(name: DocumentName, corpus: CorpusNames): string | undefined {
  const explained = corpus.acronyms.get(name.normal)
  if (explained !== undefined && isAcronymSpelling(name)) return explained
  if (isPerson(name)) {
    const words = personWords(name.normal)
    const bearers = words.length === 1 ? corpus.surnames.get(words[0]!) : undefined
    return bearers?.size === 1 ? [...bearers][0] : undefined
  }
  const longer = [...(corpus.cores.get(name.normal) ?? [])].filter(([, types]) =>
    [...name.types.keys()].some((type) => types.has(type)),
  )
  return longer.length === 1 ? longer[0]![0] : undefined
}

const isAcronymSpelling = (name: DocumentName): boolean =>
  [...name.spellings.keys()].every((spelling) => /^(?:the\s+)?[\p{Lu}\p{N}&.-]{2,12}$/u.test(spelling))

function corpusNames(names: NamesByDocument, acronyms: ReadonlyMap<string, string>): CorpusNames {
  const people = new Set<string>()
  const surnames = new Map<string, Set<string>>()
  const cores = new Map<string, Map<string, Set<string>>>()
  for (const name of [...names.values()].flatMap((ofDocument) => [...ofDocument.values()])) {
    if (isPerson(name)) {
      const plain = plainPerson(name.normal)
      if (name.normal === plain && plain.includes(' ')) people.add(plain)
      if (plain.includes(' ')) addTo(surnames, plain.split(' ').at(-1)!, plain)
    } else {
      const core = coreName(name.normal)
      if (core === name.normal) continue
      const longer = cores.get(core) ?? new Map<string, Set<string>>()
      cores.set(core, longer)
      for (const type of name.types.keys()) addTo(longer, name.normal, type)
    }
  }
  return { acronyms, people, surnames, cores }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value))
}
