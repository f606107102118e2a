import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import { encodeWav } from '../../providers/kit/audio/wav-file.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { type Content, writeDocx, writeHtml, writePdf, writePptx } from './conversion/writers.ts'
import type { CarriedFile } from './person.ts'
import { PROJECT_ROOT } from './project-root.ts'

/** A question with the passage that answers it, as the converted document shows it. */
export interface PaperQuestion {
  query: string
  answer: string
  document: string
  fact: string
}

const content = (title: string, heading: string, paragraphs: string[], table?: string[][]): Content => ({
  title,
  sections: [{ heading, paragraphs, ...(table === undefined ? {} : { table }) }],
})

const text = (name: string, lines: string): CarriedFile => ({ name, bytes: Buffer.from(lines) })

const workbook = (name: string, sheet: string, rows: (string | number)[][]): CarriedFile => {
  const sheets = utils.book_new()
  utils.book_append_sheet(sheets, utils.aoa_to_sheet(rows), sheet)
  return { name, bytes: write(sheets, { type: 'buffer', bookType: 'xlsx' }) as Buffer }
}

/** A short recording, spoken by rules. */
async function recording(name: string, words: string): Promise<CarriedFile> {
  const spoken = await new FliteEngine().speak({ text: words, voice: 'rms', speed: 0.95 }, new AbortController().signal)
  return { name, bytes: Buffer.from(encodeWav(spoken)) }
}

const fromCorpus = async (name: string): Promise<CarriedFile> => ({
  name,
  bytes: await readFile(join(PROJECT_ROOT, 'corpus/mixed_formats', name)),
})

/** Twenty papers of an invented harbour in fourteen file formats, four of them read from pictures, sound or old Office formats. */
export async function harbourPapers(): Promise<CarriedFile[]> {
  const pilots = content('Pilots of Hallow', 'Duty', [
    'Four pilots share the winter watch. The senior pilot is Berit Holm, who has served since 1998.',
    'A pilot boards at the Grey Buoy, two miles off the north pier.',
  ])
  const minutes = content('Minutes of the harbour board', 'Session of May', [
    'The board sold the old dredger to a yard in Marsholm. The price was 91 thousand marks.',
    'The treasurer asked for a new roof of the net loft.',
  ])
  const annual = content('Annual report', 'Traffic', [
    'In the past year the port of Hallow loaded 61 thousand tonnes of timber, more than ever before.',
    'Passengers fell, because the ferry to Skarn stopped in October.',
  ])
  const survey = content('Survey of the basin', 'Depths', [
    'The inner basin is 7 metres deep at low water. Beside the coal quay a wreck narrows the fairway.',
  ])
  const winter = content('Ice plan', 'Order of work', [
    'The icebreaker Torunn opens the east channel first.',
    'Tugs wait at the coal quay until the channel is open.',
  ])
  const museum = content('Museum of the port', 'Visits', [
    'The museum opens on Sundays from noon. Entry costs 3 marks.',
    'Its oldest piece is the bell of the lightship Marta.',
  ])
  const crew = content('Crew of the tug Frey', 'Names', ['Master of the tug Frey is Nils Arden. Her cook is Pia Lund.'])
  return [
    text(
      'lock.md',
      '# Lock of Hallow\n\nThe lock opens at six in the morning. The keeper of the lock is Ada Brand.\n\nA boat of class K3 pays 218 marks for a passage.\n',
    ),
    text('tides.md', '# Tides\n\nSpring tides at Hallow rise 4 metres. Neap tides rise barely 2 metres.\n'),
    text('ferry.md', '# Ferry\n\nThe ferry Alda sails to Skarn twice a day. It carries 40 cars.\n'),
    text('pilots.txt', 'The pilot station lies on the north pier.\n\nPilots are called on channel 12.\n'),
    text('radio.txt', 'The harbour radio is manned from five to midnight.\n\nIts call sign is Hallow Port.\n'),
    text('notices.rst', 'Notices\n=======\n\nThe swing bridge is closed for repair until the first of June.\n'),
    text('fees.csv', 'class,fee\nK1,80 marks\nK2,140 marks\n'),
    text('berths.json', JSON.stringify([{ berth: 'Coal quay', length: '120 metres', tenant: 'Osk Line' }], null, 2)),
    { name: 'museum.html', bytes: writeHtml(museum) },
    { name: 'crew.html', bytes: writeHtml(crew) },
    { name: 'pilot-duty.docx', bytes: await writeDocx(pilots) },
    { name: 'minutes.docx', bytes: await writeDocx(minutes) },
    { name: 'annual-report.pdf', bytes: await writePdf(annual, { columns: 1, table: 'ruled' }) },
    { name: 'survey.pdf', bytes: await writePdf(survey, { columns: 1, table: 'ruled' }) },
    workbook('stores.xlsx', 'Stores', [
      ['Item', 'Number', 'Shelf'],
      ['Mooring rope', 38, 'B4'],
      ['Signal lamp', 12, 'A1'],
    ]),
    { name: 'ice-plan.pptx', bytes: await writePptx(winter) },
    await fromCorpus('harbour-dues.png'),
    await fromCorpus('tug-briefing.ppt'),
    await fromCorpus('dredging-memo.doc'),
    await recording('phone-call.wav', 'The baker sends eighty loaves of bread each week.'),
  ]
}

/** Eight questions on eight of the papers: each is a group of its own, and eight are the fewest that an interval can rest on. */
export const PAPER_QUESTIONS: readonly PaperQuestion[] = [
  {
    query: 'What does a boat of class K3 pay for a passage?',
    answer: '218 marks.',
    document: 'lock.md',
    fact: 'A boat of class K3 pays 218 marks for a passage',
  },
  {
    query: 'On which channel are pilots called?',
    answer: 'On channel 12.',
    document: 'pilots.txt',
    fact: 'Pilots are called on channel 12',
  },
  {
    query: 'Until when is the swing bridge closed?',
    answer: 'Until the first of June.',
    document: 'notices.rst',
    fact: 'The swing bridge is closed for repair until the first of June',
  },
  { query: 'What does a boat of class K2 pay?', answer: '140 marks.', document: 'fees.csv', fact: 'K2,140 marks' },
  {
    query: 'Who is the senior pilot?',
    answer: 'Berit Holm.',
    document: 'pilot-duty.docx',
    fact: 'The senior pilot is Berit Holm',
  },
  {
    query: 'How much timber did the port load in the past year?',
    answer: '61 thousand tonnes.',
    document: 'annual-report.pdf',
    fact: '61 thousand tonnes of timber',
  },
  {
    query: 'Which ship opens the east channel first?',
    answer: 'The icebreaker Torunn.',
    document: 'ice-plan.pptx',
    fact: 'The icebreaker Torunn opens the east channel first',
  },
  {
    query: 'How many mooring ropes are in the stores?',
    answer: '38.',
    document: 'stores.xlsx',
    fact: 'Mooring rope | 38',
  },
]
