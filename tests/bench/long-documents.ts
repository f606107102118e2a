import type { RetrievalQuestion, RetrievalSet } from './retrieval-set.ts'

/**
 * Twelve long documents of our own, for the question that short passages cannot ask: is a passage found that refers to its subject only by
 * "the station" or "she"? Its name is in a heading above, or in the paragraph before. Six handbooks of waterworks hold the first half of the
 * questions, six guides of botanic gardens the second, with sentences of their own, so that what was chosen on one is checked on the other.
 * Everything follows from the seed; texts and questions were written before any approach was run on them.
 */

const SEED = 20_261_123
const DOCUMENTS_OF_A_KIND = 6
const SECTIONS = 8
const QUESTIONS_OF_A_DOCUMENT = 8

interface Topic {
  heading: string
  /** The fact, with {value}; it refers to the section's subject without its name. */
  fact: string
  /** Holds what a question may ask, with {subject}. */
  asks: readonly string[]
  value: (random: Random) => string
  /** Sentences of the same topic that any section may hold; {n} is a number. */
  filler: readonly string[]
}

interface Kind {
  title: (place: string) => string
  places: readonly string[]
  lead: (place: string) => string
  names: readonly string[]
  types: readonly string[]
  opening: (subject: string, place: string) => string
  topics: readonly Topic[]
  /** A paragraph that names a person, then one that goes on about the same person without the name. */
  person: { heading: string; roles: readonly string[]; introduction: string; fact: string; asks: readonly string[] }
  /** A fact beside its subject's name: the passages that need no context. */
  named: { heading: string; fact: string; ask: string }
}

type Random = () => number

/** mulberry32: small, fast and the same everywhere. */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const between = (random: Random, low: number, high: number): number => low + Math.floor(random() * (high - low + 1))
const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const order = items.map((item) => ({ item, key: random() }))
  return order.sort((left, right) => left.key - right.key).map(({ item }) => item)
}

const MONTHS = ['January', 'March', 'April', 'May', 'June', 'August', 'September', 'October', 'November']
const date = (random: Random): string =>
  `${between(random, 1, 28)} ${oneOf(random, MONTHS)} ${between(random, 1861, 1998)}`
const FIRST_NAMES = ['Agathe', 'Berit', 'Clara', 'Doreen', 'Edith', 'Frieda', 'Gerda', 'Hanne', 'Ilse', 'Johanna']
const SURNAMES = [
  'Akerlund',
  'Bremser',
  'Calloway',
  'Dunmore',
  'Esterby',
  'Fennick',
  'Garrow',
  'Hollis',
  'Ingram',
  'Jessop',
]

const WATERWORKS: Kind = {
  title: (place) => `Operating handbook of the ${place} waterworks`,
  places: ['Kelmar', 'Osterholm', 'Tarnby', 'Vellinge', 'Druno', 'Halvik'],
  lead: (place) =>
    `This handbook collects what the shifts of the ${place} waterworks need to know about buildings, machines and people. It is revised every other year by the operations office.`,
  names: [
    'Orling',
    'Pembury',
    'Stavel',
    'Quarrel Hill',
    'Nettle Brook',
    'Lindow',
    'Marrow Lane',
    'Ashgrove',
    'Corby',
    'Wick',
  ],
  types: ['pumping station', 'filter house', 'reservoir', 'softening plant', 'intake tower'],
  opening: (subject, place) =>
    `The ${subject} is one of the works that supply ${place}. Crews reach it by the service road and report to the control room on arrival.`,
  topics: [
    {
      heading: 'History',
      fact: 'It was put into service on {value} after a dry winter had delayed the masonry.',
      asks: ['When did the {subject} begin operating?', 'On which day was the {subject} put into service?'],
      value: date,
      filler: [
        'The first plans were drawn for a much smaller site and had to be altered when the town grew.',
        'Bricks came by barge from the kilns downstream, {n} thousand in the first season alone.',
        'A flood reached the lower windows in the second year and left a mark that is still shown to visitors.',
        'The council paid for the work by a loan that was settled {n} years later.',
        'Old photographs in the corridor show the yard with horses, sheds and a narrow railway.',
        'During the war the roof was painted in dull colours and the lamps were shaded.',
        'An extension to the north was discussed more than once and never built.',
        'The original drawings are kept in a steel cabinet and may be copied, not borrowed.',
      ],
    },
    {
      heading: 'Machines',
      fact: 'The main set moves {value} litres a second at full speed and half of that at night.',
      asks: [
        'How many litres a second can the {subject} move?',
        'What is the full flow of the main set at the {subject}?',
      ],
      value: (random) => String(between(random, 110, 990)),
      filler: [
        'Bearings are greased on the first Monday of the month and after each long stop.',
        'A spare motor waits under a tarpaulin beside the crane, with its papers in the drawer.',
        'Vibration above {n} micrometres is reported to the workshop before the end of the shift.',
        'Valves are turned by hand once a quarter so that they do not seize.',
        'The switchboard was renewed in sections, so two kinds of labels are in use.',
        'Noise protection is worn beyond the yellow line, also for a short look.',
        'Spare seals are stored flat, in the dark, and are thrown away after {n} months.',
        'A leak of oil is caught in the tray and never washed into the drain.',
      ],
    },
    {
      heading: 'Staffing',
      fact: 'A crew of {value} is on duty by day, and one attendant sleeps on site.',
      asks: ['How large is the day crew of the {subject}?', 'How many people are on duty by day at the {subject}?'],
      value: (random) =>
        `${oneOf(random, ['four', 'five', 'six', 'seven', 'eight', 'nine', 'eleven', 'twelve'])} fitters`,
      filler: [
        'Shifts change at six, two and ten, and the log is read aloud at each change.',
        'Apprentices spend {n} weeks here before they move on to the laboratory.',
        'The canteen is closed on Sundays; a stove may be used in the rest room.',
        'Overtime is entered the same day and approved by the office within the week.',
        'New colleagues walk the whole pipe gallery with an older hand before they work alone.',
        'Keys are handed over in person and signed for in the red book.',
        'Holidays are planned in February so that no two electricians are away together.',
        'A first-aid course is repeated every {n} months.',
      ],
    },
    {
      heading: 'Safety',
      fact: 'In an alarm everybody gathers at the {value}, where the roll is called.',
      asks: ['Where do people gather in an alarm at the {subject}?', 'Which assembly point does the {subject} have?'],
      value: (random) =>
        `${oneOf(random, ['old', 'eastern', 'stone', 'lower', 'white', 'iron'])} ${oneOf(random, ['boathouse', 'gate', 'bridge', 'orchard', 'chapel', 'weighbridge'])}`,
      filler: [
        'Chlorine is handled by two people, with masks, and with the fan running.',
        'Extinguishers are checked every {n} weeks and the date is written on the tag.',
        'The siren is tried on the first Saturday at noon.',
        'Nobody enters a tank without a rope and a second person at the hatch.',
        'Ladders with a damaged rung are sawn through so that they are not used again.',
        'Lightning has struck the mast {n} times; stay off the roof when thunder is near.',
        'The emergency lamps burn for two hours and are charged from the day circuit.',
        'A map of the escape routes hangs behind every door.',
      ],
    },
    {
      heading: 'Costs',
      fact: 'Upkeep came to {value} crowns in the last full year, most of it for current.',
      asks: [
        'What did the upkeep of the {subject} cost in the last full year?',
        'How much was spent on keeping up the {subject}?',
      ],
      value: (random) => `${between(random, 112, 987)},${between(random, 100, 999)}`,
      filler: [
        'Power is bought for the whole company and shared out by the meters.',
        'Repairs above {n} thousand crowns need two offers in writing.',
        'Sand for the beds is paid from a fund of its own.',
        'The lease of the meadow brings in a small sum, which is spent on fences.',
        'Paint and timber are ordered together with the other sites in spring.',
        'An audit found the books in order and asked for fewer cash payments.',
        'Scrap copper is weighed by two people and sold through the office.',
        'Insurance rose by {n} per cent after the storm.',
      ],
    },
  ],
  person: {
    heading: 'Overseer',
    roles: ['overseer', 'chief engineer', 'works manager'],
    introduction:
      '{person} was the best known {role} of the {subject}. The portrait in the hall shows a tall woman in a grey coat, with a slide rule in the pocket.',
    fact: 'She kept {value} on the premises and refused every order to sell them.',
    asks: ['What did {person} keep on the premises?', 'Which things did {person} refuse to sell?'],
  },
  named: {
    heading: 'Access',
    fact: 'Visitors of the {subject} are admitted on {value} and must be accompanied.',
    ask: 'On which days are visitors of the {subject} admitted?',
  },
}

const GARDENS: Kind = {
  title: (place) => `Guide to the botanic garden of ${place}`,
  places: ['Arrandale', 'Brixholt', 'Corvane', 'Dellmoor', 'Evering', 'Fallowby'],
  lead: (place) =>
    `The garden of ${place} opens all year and is cared for by gardeners, students and a society of friends. This guide follows the paths from the gate to the river.`,
  names: ['Salter', 'Winmore', 'Tolland', 'Marchbank', 'Ravel', 'Hesketh', 'Ludlow', 'Penrose', 'Oakden', 'Thirlby'],
  types: ['palm house', 'rockery', 'arboretum', 'herb court', 'lily pond'],
  opening: (subject, place) =>
    `The ${subject} belongs to the oldest part of the garden at ${place}. A bench near the entrance carries the names of those who gave money for it.`,
  topics: [
    {
      heading: 'Origins',
      fact: 'The founder laid it out in {value} with plants that sailors had brought home.',
      asks: ['In what year was the {subject} laid out?', 'How old is the {subject}: when was it laid out?'],
      value: (random) => `the spring of ${between(random, 1721, 1899)}`,
      filler: [
        'A sketch in the library shows straight beds where now the paths wind.',
        'Seeds were exchanged with {n} other gardens, wrapped in newspaper and wax.',
        'The wall to the west is all that remains of the monastery.',
        'Hard frosts took nearly everything in one night, and the beds were planted again.',
        'Letters of the time complain about rabbits, boys and a goat.',
        'A poet lived in the lodge for {n} summers and paid no rent.',
        'The old labels were of zinc and are found in the soil to this day.',
        'Two cedars fell in the great gale and were made into the tables of the tea room.',
      ],
    },
    {
      heading: 'Rarities',
      fact: 'Its rarest specimen is a {value}, which flowers only after a warm autumn.',
      asks: ['What is the rarest specimen of the {subject}?', 'Which rare plant grows in the {subject}?'],
      value: (random) =>
        `${oneOf(random, ['silver', 'weeping', 'dwarf', 'crimson', 'trailing', 'black'])} ${oneOf(random, ['tree fern', 'snakeroot', 'bellwort', 'cycad', 'pitcher plant', 'spurge laurel', 'moonseed'])}`,
      filler: [
        'Cuttings are taken in August and kept under glass for {n} weeks.',
        'The colours are best in the first hour after rain.',
        'Names on the labels follow the latest list; older ones are given in brackets.',
        'Please do not touch the leaves: some sting, and others bruise.',
        'A volunteer counts the buds each morning and writes them on the board.',
        'Bees were brought in when the wild ones failed to come.',
        'About {n} kinds are grown from seed that was gathered on the slopes.',
        'Photographs without a tripod are welcome.',
      ],
    },
    {
      heading: 'Watering',
      fact: 'The beds are fed from a cistern that holds {value} cubic metres below the gravel.',
      asks: [
        'How much water does the cistern of the {subject} hold?',
        'What is the capacity of the cistern below the {subject}?',
      ],
      value: (random) => String(between(random, 105, 995)),
      filler: [
        'In dry weeks the hoses run at night, and paths may be wet in the morning.',
        'Rain from the roofs is led through sand before it is used.',
        'The old pump handle is kept as a toy for children.',
        'Mulch is spread {n} centimetres deep in May.',
        'A gauge at the steps shows how much has fallen since January.',
        'Hard water leaves a white rim, so only soft water is used for the orchids.',
        'The channel is cleaned by students on the last Friday of term.',
        'Leaks are marked with a flag and mended within {n} days.',
      ],
    },
    {
      heading: 'Soil',
      fact: 'The ground was dug out and filled with {value} so that the roots stay dry.',
      asks: ['With what was the ground of the {subject} filled?', 'What kind of soil was put into the {subject}?'],
      value: (random) =>
        `${oneOf(random, ['crushed', 'washed', 'burnt', 'sifted', 'volcanic'])} ${oneOf(random, ['slate', 'pumice', 'oyster shell', 'flint', 'basalt', 'coke'])} and ${oneOf(random, ['leaf mould', 'peat', 'river sand', 'loam', 'bark'])}`,
      filler: [
        'Samples are sent to the laboratory every {n} years.',
        'Worms are welcome, slugs are picked off by hand.',
        'The compost heaps stand behind the hedge and steam on cold mornings.',
        'Lime is added only where the test paper turns red.',
        'A trench keeps the roots of the poplars away.',
        'Barrows may be borrowed against a signature.',
        'The layer below is clay, {n} metres thick, and holds the rain.',
        'Nothing is dug between November and March.',
      ],
    },
    {
      heading: 'Events',
      fact: 'Each year the {value} is held here, for which no ticket is needed.',
      asks: [
        'Which event without tickets is held each year at the {subject}?',
        'What is held every year in the {subject}?',
      ],
      value: (random) =>
        `${oneOf(random, ['lantern', 'midsummer', 'harvest', 'candle', 'first-frost', 'May'])} ${oneOf(random, ['concert', 'breakfast', 'auction', 'reading', 'procession', 'fair'])}`,
      filler: [
        'Chairs are put out an hour before and are not reserved.',
        'Dogs on a lead are admitted on weekdays.',
        'The tea room serves {n} kinds of cake and closes at five.',
        'Weddings are held when the weather allows, and moved to the hall when not.',
        'School classes come with their own magnifying glasses.',
        'A list of talks hangs beside the gate.',
        'Music ends at nine for the sake of the herons.',
        'Last season {n} hundred people signed the guest book.',
      ],
    },
  ],
  person: {
    heading: 'Keeper',
    roles: ['head gardener', 'curator', 'keeper'],
    introduction:
      '{person} served longest as {role} of the {subject}. Her diaries fill a shelf in the library and are written in green ink.',
    fact: 'In her will she left {value} to the apprentices, who still share them.',
    asks: ['What did {person} leave to the apprentices?', 'Which bequest of {person} do the apprentices share?'],
  },
  named: {
    heading: 'Visiting',
    fact: 'The gate of the {subject} is unlocked on {value} from ten to four.',
    ask: 'On which days is the gate of the {subject} unlocked?',
  },
}

const DAYS = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']
const THINGS = [
  'beehives',
  'telescopes',
  'clocks',
  'violins',
  'ledgers',
  'stone lions',
  'chess sets',
  'barometers',
  'lutes',
]
const things = (random: Random): string =>
  `${oneOf(random, ['two', 'three', 'seven', 'nine', 'forty'])} ${oneOf(random, THINGS)}`

interface Asked {
  text: string
  fact: string
}

interface Written {
  text: string
  /** Facts without their subject's name, then those that have it. */
  hidden: Asked[]
  named: Asked[]
}

const fill = (template: string, values: Record<string, string>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!)

const sentences = (random: Random, pool: readonly string[], count: number): string =>
  shuffled(random, pool)
    .slice(0, count)
    .map((sentence) => fill(sentence, { n: String(between(random, 3, 48)) }))
    .join(' ')

/** A topic of a section: filler, the fact in the middle of its second paragraph, filler. */
function writeTopic(random: Random, topic: Topic, subject: string): { text: string; asked: Asked } {
  const fact = fill(topic.fact, { value: topic.value(random) })
  const [before, after] = [sentences(random, topic.filler.slice(0, 4), 4), sentences(random, topic.filler.slice(4), 3)]
  const general = sentences(random, topic.filler, 2)
  return {
    text: `### ${topic.heading}\n\n${before}\n\n${general} ${fact} ${after}`,
    asked: { text: fill(oneOf(random, topic.asks), { subject }), fact },
  }
}

function writePerson(random: Random, kind: Kind, subject: string, person: string): { text: string; asked: Asked } {
  const { heading, roles, introduction, fact: template, asks } = kind.person
  const fact = fill(template, { value: things(random) })
  const filler = kind.topics.flatMap((topic) => topic.filler)
  const first = fill(introduction, { person, role: oneOf(random, roles), subject })
  return {
    text: `### ${heading}\n\n${first} ${sentences(random, filler, 6)}\n\n${sentences(random, filler, 3)} ${fact} ${sentences(random, filler, 2)}`,
    asked: { text: fill(oneOf(random, asks), { person }), fact },
  }
}

function writeDocument(random: Random, kind: Kind, place: string, people: string[]): Written {
  const written: Written = { text: `# ${kind.title(place)}\n\n${kind.lead(place)}`, hidden: [], named: [] }
  const add = ({ text, asked }: { text: string; asked: Asked }): void => {
    written.text += `\n\n${text}`
    written.hidden.push(asked)
  }
  for (const name of shuffled(random, kind.names).slice(0, SECTIONS)) {
    const type = oneOf(random, kind.types)
    const subject = `${name} ${type}`
    // The same names occur in several documents: a question states which.
    const asked = `${subject} in ${place}`
    written.text += `\n\n## ${subject}\n\n${kind.opening(subject, place)}`
    for (const topic of shuffled(random, kind.topics)) add(writeTopic(random, topic, asked))
    add(writePerson(random, kind, subject, people.pop()!))
    const days = shuffled(random, DAYS).slice(0, 2).join(' and ')
    const fact = fill(kind.named.fact, { subject, value: days })
    written.text += `\n\n### ${kind.named.heading}\n\n${sentences(random, kind.topics[0]!.filler, 2)} ${fact}`
    written.named.push({ text: fill(kind.named.ask, { subject: asked }), fact })
  }
  written.text += '\n'
  return written
}

/** The set; a question's gold is a fact, since finding one of twelve documents proves little. */
export function longDocuments(): RetrievalSet {
  const random = randomOf(SEED)
  const people = shuffled(
    random,
    FIRST_NAMES.flatMap((first) => SURNAMES.map((surname) => `${first} ${surname}`)),
  )
  const documents = new Map<string, string>()
  const questions: RetrievalQuestion[] = []
  for (const [half, kind] of [WATERWORKS, GARDENS].entries())
    for (const place of kind.places.slice(0, DOCUMENTS_OF_A_KIND)) {
      const file = `${kind.title(place).toLowerCase().replaceAll(' ', '-')}.md`
      const { text, hidden, named } = writeDocument(random, kind, place, people)
      documents.set(file, text)
      const isUnique = ({ fact }: Asked): boolean => text.indexOf(fact) === text.lastIndexOf(fact)
      const chosen = [
        ...shuffled(random, hidden.filter(isUnique)).slice(0, QUESTIONS_OF_A_DOCUMENT - 2),
        ...shuffled(random, named.filter(isUnique)).slice(0, 2),
      ]
      for (const [at, { text: asked, fact }] of chosen.entries())
        questions.push({
          id: `${place.toLowerCase()}-${at + 1}`,
          text: asked,
          gold: [{ document: file, fact }],
          secondHalf: half === 1,
        })
    }
  return { name: 'long-documents', imported: true, documents, questions }
}
