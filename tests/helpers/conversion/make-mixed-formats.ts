import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../project-root.ts'
import {
  drawPages,
  multiPageTiff,
  picturePdf,
  scanned,
  viaLibreOffice,
  writeDocx,
  writeHtml,
  writePdf,
  writePptx,
} from './writers.ts'
import type { Content } from './writers.ts'

/** Writes corpus/mixed_formats: an invented harbour whose papers come in every format. Needs LibreOffice and poppler; run it with node. */
const folder = join(PROJECT_ROOT, 'corpus', 'mixed_formats')
const DPI = 150
const plain = { columns: 1, table: 'ruled', size: 12 } as const

const berths: Content = {
  title: 'Marsholm berth register',
  sections: [
    {
      heading: 'Berths',
      paragraphs: [],
      table: [
        ['Berth', 'Length (m)', 'Greatest draught (m)', 'Leased to'],
        ['Alder Quay', '184', '7.2', 'Corrie Grain'],
        ['Bishop Quay', '226', '9.8', 'Halden Timber'],
        ['Cooper Quay', '142', '5.4', 'Marsholm Pilots'],
        ['Draper Quay', '310', '11.6', 'Osk Container Line'],
      ],
    },
  ],
}
const report: Content = {
  title: 'Marsholm Harbour annual report',
  sections: [
    {
      heading: 'The year in short',
      paragraphs: [
        'Marsholm Harbour is run by a trust of nine members, chaired since spring by Ilse Varnholt, a former salvage master. The year was marked by the new lock gates and by a mild winter in which the inner basin never froze.',
        'Traffic grew for the third year. Timber stayed the largest trade, while grain fell after the failed harvest inland. The trust kept its dues unchanged and paid for the lock gates out of its own reserve.',
      ],
    },
    {
      heading: 'Cargo by trade',
      paragraphs: ['All figures are in thousands of tonnes.'],
      table: [
        ['Trade', 'Year before', 'This year'],
        ['Timber', '412', '468'],
        ['Grain', '301', '227'],
        ['Containers', '188', '243'],
        ['Stone', '94', '91'],
      ],
    },
  ],
}
const inspection: Content = {
  title: 'Certificate of crane inspection',
  sections: [
    {
      heading: 'Crane 14 on Draper Quay',
      paragraphs: [
        'Crane 14 was examined on 6 March by the inspector Radek Solberg. The slewing ring was worn beyond its limit and has to be renewed before the crane lifts more than 12 tonnes.',
        'The brakes and the ropes were found in good order. The next examination is due in eleven months.',
      ],
    },
  ],
}
const tariff: Content = {
  title: 'Notice of harbour dues',
  sections: [
    {
      heading: 'Dues from 1 April',
      paragraphs: ['Vessels pay by the class in which they are entered.'],
      table: [
        ['Class', 'Vessel', 'Dues per day'],
        ['K1', 'Fishing boat', '14 marks'],
        ['K2', 'Coaster', '63 marks'],
        ['K3', 'Bulk carrier', '218 marks'],
        ['K4', 'Container ship', '295 marks'],
      ],
    },
  ],
}
const storms: Content[] = [
  {
    title: 'Storm log, first sheet',
    sections: [
      {
        heading: 'The October gale',
        paragraphs: [
          'The gale of 19 October tore the dredger Petrel from her moorings at Cooper Quay. She was brought back by the tug Ragna before midnight.',
        ],
      },
    ],
  },
  {
    title: 'Storm log, second sheet',
    sections: [
      {
        heading: 'The January surge',
        paragraphs: [
          'On 11 January the surge stood 2.4 metres above the quay mark. The flood gate at Weir Street was closed by hand because its motor had failed.',
        ],
      },
    ],
  },
]
const plaque: Content = {
  title: 'Lightship Esther',
  sections: [
    {
      heading: 'Museum plaque',
      paragraphs: [
        'The lightship Esther was built at Tornvik in 1911 and lay on the Hallow Bank until she was replaced by an automatic buoy. Her lamp came from the glassworks of Brandt and Sons.',
      ],
    },
  ],
}
const pilots: Content = {
  title: 'Pilot handbook',
  sections: [
    {
      heading: 'Boarding',
      paragraphs: [
        'Pilots board two miles west of the Hallow Bank. In winds above force 8 the pilot boat stays in port and ships wait at the outer anchorage.',
      ],
    },
    {
      heading: 'Signals at the lock',
      paragraphs: ['The lock keeper shows these signals from the north tower.'],
      table: [
        ['Signal', 'Meaning'],
        ['Two green lights', 'Enter at once'],
        ['Green over white', 'Wait for the outgoing ship'],
        ['Three red lights', 'The lock is closed to all traffic'],
      ],
    },
  ],
}
const dredging: Content = {
  title: 'Memorandum on dredging',
  sections: [
    {
      heading: 'Contract',
      paragraphs: [
        'The contract for dredging the inner basin went to the firm Nordquist Marine for 1.85 million marks. The spoil is to be dropped in the Skarn Deep and nowhere else.',
      ],
    },
  ],
}
const winter: Content = {
  title: 'Winter plan',
  sections: [
    {
      heading: 'Ice service',
      paragraphs: ['The icebreaker is on call from December.'],
      table: [
        ['Vessel', 'Task', 'Crew'],
        ['Isbjorn', 'Keeps the fairway open', '17'],
        ['Ragna', 'Tows at the lock', '6'],
        ['Svala', 'Carries pilots', '4'],
      ],
    },
    {
      heading: 'Stores',
      paragraphs: ['Salt is kept in the old fish hall, sand under the railway bridge.'],
      items: ['90 tonnes of salt', '240 tonnes of sand'],
    },
  ],
}
const visitors: Content = {
  title: 'Visiting the harbour',
  sections: [
    {
      heading: 'Tours',
      paragraphs: ['Tours start at the custom house. Children under seven go free.'],
      table: [
        ['Tour', 'Day', 'Guide'],
        ['Lock and gates', 'Tuesday', 'Mirja Lund'],
        ['Grain towers', 'Friday', 'Piet Okkema'],
        ['By boat', 'Sunday', 'Ansel Greve'],
      ],
    },
  ],
}

const page = async (content: Content, format: 'png' | 'jpeg'): Promise<Buffer> =>
  scanned((await drawPages(await writePdf(content, plain), DPI))[0]!, DPI, format)
const logs = await Promise.all(storms.map((sheet) => page(sheet, 'png')))
const files: Record<string, Buffer> = {
  'annual-report.pdf': await writePdf(report, { columns: 2, table: 'ruled' }),
  'berth-register.xlsx': await viaLibreOffice(
    Buffer.from(berths.sections[0]!.table!.map((row) => row.join(',')).join('\n')),
    'csv',
    'xlsx',
    'Berths',
  ),
  'crane-inspection.pdf': await picturePdf([await page(inspection, 'png')], DPI),
  'dredging-memo.doc': await viaLibreOffice(await writeDocx(dredging), 'docx', 'doc'),
  'harbour-dues.png': await page(tariff, 'png'),
  'lightship-plaque.jpg': await page(plaque, 'jpeg'),
  'pilot-handbook.docx': await writeDocx(pilots),
  'storm-log.tif': await multiPageTiff(logs, DPI),
  'visitors.html': writeHtml(visitors),
  'winter-plan.pptx': await writePptx(winter, [
    'The harbour master Odd Ferring decides alone when the fairway is closed.',
  ]),
}
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const [name, bytes] of Object.entries(files)) {
  await writeFile(join(folder, name), bytes)
  console.log(`${name}  ${Math.round(bytes.length / 1024)} KB`)
}
