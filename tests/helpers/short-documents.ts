import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomFrom } from './random.ts'

export interface ShortDocument {
  path: string
  text: string
}

const SYLLABLES =
  'bar cal den el fen gar hol is jor kel lan mer nor os pel quin ros sel tor ul ven wex yar zel bren dor fal gris hav kest'.split(
    ' ',
  )
const GIVEN = (
  'Agnes Albert Alice Anna Arthur Beatrice Carl Clara David Edith Emil Erik Esther Frank Frida George Grace Hannah Harold Helen ' +
  'Henry Ida Ines Jacob James Jane Karl Laura Leo Lucy Maria Martin Mary Nora Oscar Paul Peter Rosa Ruth Samuel Sarah Thomas'
).split(' ')
const KINDS = ['shipyard', 'publishing house', 'observatory', 'railway company', 'textile mill', 'music school']
const WORKS = ['novel', 'steamship', 'bridge', 'telescope', 'opera', 'locomotive']
const TRADES = ['engineer', 'composer', 'chemist', 'architect', 'historian', 'botanist']

const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** An invented word, another one for each number. */
function word(number: number): string {
  const base = SYLLABLES.length
  const parts = [number % base, Math.floor(number / base) % base, Math.floor(number / base ** 2) % base]
  return titled(parts.map((at) => SYLLABLES[at]!).join(''))
}

/** The people, places and things of a corpus. Their number grows with it, so that each is mentioned in equally many documents at any size. */
function worldOf(documents: number) {
  const people = Math.ceil(documents * 0.6)
  return {
    people,
    cities: 40 + Math.ceil(documents / 50),
    person: (at: number) => `${GIVEN[at % GIVEN.length]!} ${word(at * 31 + 7)}`,
    city: (at: number) => `${word(at * 17 + 3)}ham`,
    house: (at: number) => `${word(at * 13 + 5)} ${titled(KINDS[at % KINDS.length]!.split(' ').at(-1)!)}`,
    work: (at: number) => `${word(at * 11 + 1)} ${titled(SYLLABLES[at % SYLLABLES.length]!)}a`,
  }
}

/** Short documents of about 500 bytes about people, houses and works that mention each other; equal for equal numbers and seeds. */
export function* shortDocuments(count: number, seed = 1): Generator<ShortDocument> {
  const world = worldOf(count)
  const random = randomFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const year = (): number => 1790 + below(170)
  for (let at = 0; at < count; at += 1) {
    const house = world.house(at)
    const [founder, leader, maker] = [below(world.people), below(world.people), below(world.people)].map(world.person)
    const [city, birthplace] = [world.city(below(world.cities)), world.city(below(world.cities))]
    const other = world.house(below(count))
    const work = world.work(at)
    const thing = WORKS[at % WORKS.length]!
    const from = year()
    const text = [
      `# ${house}`,
      '',
      `${house} is a ${KINDS[at % KINDS.length]!} in ${city}. It was founded in ${from} by ${founder!}, a ${TRADES[below(TRADES.length)]!} from ${birthplace}.`,
      `In ${from + 4 + below(20)} ${leader!} joined ${house} after years with ${other}, and led it until ${from + 30 + below(20)}.`,
      '',
      `${maker!} designed the ${thing} ${work} for ${house}. ${founder!} sold the ${thing} to ${other} in ${from + 12 + below(9)}.`,
      `The ${thing} was later shown in ${city}, where ${maker!} had married ${leader!}.`,
      '',
    ].join('\n')
    yield { path: `${String(Math.floor(at / 1000)).padStart(3, '0')}/${String(at).padStart(6, '0')}.md`, text }
  }
}

/** Questions about such a corpus that need one or two documents. */
export function shortDocumentQuestions(count: number, questions: number): string[] {
  const world = worldOf(count)
  return Array.from({ length: questions }, (_, at) => {
    const subject = Math.floor(((at + 0.5) * count) / questions)
    const forms = [
      `Who founded ${world.house(subject)}?`,
      `In which city was the founder of ${world.house(subject)} born?`,
      `Who designed ${world.work(subject)}, and whom did that person marry?`,
      `Which house did ${world.person(subject % world.people)} lead?`,
    ]
    return forms[at % forms.length]!
  })
}

/** Writes the documents below a folder and returns the bytes of their text. */
export async function writeShortDocuments(folder: string, count: number, seed = 1): Promise<number> {
  let bytes = 0
  const folders = new Set<string>()
  for (const { path, text } of shortDocuments(count, seed)) {
    const parent = join(folder, path.split('/')[0]!)
    if (!folders.has(parent)) await mkdir(parent, { recursive: true })
    folders.add(parent)
    await writeFile(join(folder, path), text)
    bytes += Buffer.byteLength(text)
  }
  return bytes
}
