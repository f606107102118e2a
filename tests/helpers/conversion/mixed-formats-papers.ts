import type { Content } from './writers.ts'

/** Papers of an invented harbour: the content of corpus/mixed_formats. */
export const berths: Content = {
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
export const report: Content = {
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
export const inspection: Content = {
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
export const tariff: Content = {
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
export const storms: Content[] = [
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
export const plaque: Content = {
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
export const pilots: Content = {
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
export const dredging: Content = {
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
export const winter: Content = {
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
export const visitors: Content = {
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
export const tugs: Content = {
  title: 'Tug briefing',
  sections: [
    {
      heading: 'Duties of the tugs',
      paragraphs: ['The harbour master calls the tugs of Marsholm on channel 12.'],
      table: [
        ['Tug', 'Bollard pull (t)', 'Skipper'],
        ['Ragna', '48', 'Hanne Lysgaard'],
        ['Torvald', '62', 'Emil Brekke'],
        ['Yrsa', '35', 'Nils Ostby'],
      ],
    },
  ],
}
