// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../../../tests/helpers/conversion/pdfkit.d.ts" />
import PDFDocument from 'pdfkit'
import { describe, expect, it } from 'vitest'
import { glyphPdf } from '../../../tests/helpers/conversion/glyph-pdf.ts'
import { rawPdf } from '../../../tests/helpers/conversion/raw-pdf.ts'
import { written } from '../../../tests/helpers/conversion/writers.ts'
import { readDocument, type ReadOptions } from '../work/convert-document.ts'
import { readOptions } from '../../../tests/helpers/read-options.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const cacheDir = suiteFolder('pdf')

const read = (bytes: Uint8Array, options: Partial<ReadOptions> = {}) =>
  readDocument(bytes, 'file.pdf', { ...readOptions(cacheDir), ...options })
const textsOf = ({ blocks }: Awaited<ReturnType<typeof read>>): string[] =>
  blocks.map((block) => ('text' in block ? block.text : block.kind))
/** A page of lines one below the other. */
const pageOf = (lines: readonly string[]) =>
  lines.map((text, index) => ({ x: 60, y: 700 - 18 * index, text, size: 11 }))

describe('text layers in other scripts than Latin', () => {
  const PROSE = {
    Russian: 'Система ntfs btrfs tftp lvm dhcp grub ssh ставится на жёсткий диск xfs nfs.',
    Korean: '설치 프로그램은 ntfs btrfs tftp lvm dhcp ssh 하드웨어를 확인합니다 xfs nfs.',
    Japanese: 'インストーラは ntfs btrfs tftp lvm dhcp ssh ハードウェアを確認します xfs nfs.',
    Chinese: '安装程序首先检查 ntfs btrfs tftp lvm dhcp ssh 硬件并选择语言 xfs nfs.',
    Greek: 'Η εγκατάσταση ntfs btrfs tftp lvm dhcp ssh ξεκινά με τον έλεγχο xfs nfs.',
  }
  it.each(Object.entries(PROSE))('a %s page with names in Latin letters keeps its text layer', async (_, line) => {
    const document = await read(glyphPdf([pageOf(Array.from({ length: 12 }, () => line))]))
    expect(document).toMatchObject({ ocrPages: 0, warnings: [] })
    expect(textsOf(document).join(' ').split(line)).toHaveLength(13)
  })

  it('a damaged text layer in a script that recognition does not support is kept, and a warning names its pages', async () => {
    const broken = 'Сис\uE001\uE002\uE003\uE004 \uE005\uE006\uE007 тема ставится lvm tftp xfs ntfs btrfs dhcp ssh'
    const whole = PROSE.Russian
    const document = await read(glyphPdf([whole, broken].map((line) => pageOf(Array.from({ length: 12 }, () => line)))))
    expect(document).toMatchObject({
      ocrPages: 0,
      warnings: [
        'page 2: the text layer looks damaged and was kept, because text recognition is installed for English only',
      ],
    })
  })

  it('a page in Latin letters whose text layer is in a wrong alphabet is recognized', async () => {
    const shifted = 'Wkh lqvwdoodwlrq vwduwv zlwk d fkhfn ri wkh kdugzduh dqg wkh fkrlfh ri d odqjxdjh.'
    const document = await read(glyphPdf([pageOf(Array.from({ length: 2 }, () => shifted))]))
    expect(document.ocrPages).toBe(1)
  })
})

/** A viewer draws a right-to-left line like this: its characters from the right, numbers and Latin words from the left. */
const drawn = (line: string): string =>
  Array.from(line)
    .reverse()
    .join('')
    .replaceAll(/[A-Za-z0-9]+(?:[ .][A-Za-z0-9]+)*/g, (run) => Array.from(run).reverse().join(''))

describe('right-to-left text', () => {
  it('lines of a right-to-left page are in reading order, with numbers and Latin names within them', async () => {
    const lines = [
      'דוח שנתי על המצב במדינה בשנת 2024 לפי הלוח החדש',
      'הותקנה מערכת Debian 12 בכל המחשבים של המשרד הראשי',
    ]
    const document = await read(glyphPdf([pageOf(lines.map(drawn))]))
    expect(textsOf(document)).toEqual([lines.join(' ')])
    expect(document.blocks[0]!.place!.box).toMatchObject({
      left: expect.closeTo(60, -1),
      top: expect.closeTo(133.2, 0),
    })
  })

  it('an English line of a right-to-left page keeps its order, and a mark ends the right-to-left word that it follows', async () => {
    const hebrew = 'הדוח נכתב במשרד הראשי של החברה בעיר חיפה, בשנת 2024.'
    const english = 'The office is called בית החברה by all.'
    const page = [drawn(hebrew), drawn(hebrew), english.replace('בית החברה', drawn('בית החברה'))]
    expect(textsOf(await read(glyphPdf([pageOf(page)]))).join(' ')).toBe(`${hebrew} ${hebrew} ${english}`)
  })

  it('Arabic letters in their drawn forms become the letters that a person types', async () => {
    const document = await read(glyphPdf([pageOf([drawn('ﺗﻘﺮﻳﺮ ﺍﻟﺴﻨﺔ ﺍﻟﻤﺎﻟﻴﺔ')])]))
    expect(textsOf(document)).toEqual(['تقرير السنة المالية'])
  })

  it('a right-to-left phrase within an English line is in reading order', async () => {
    const document = await read(glyphPdf([pageOf([`The sign says ${drawn('ברוכים הבאים לחיפה')} in large letters.`])]))
    expect(textsOf(document)).toEqual(['The sign says ברוכים הבאים לחיפה in large letters.'])
  })

  it('columns of a right-to-left table run from the right', async () => {
    const rows = [
      ['שם', 'גיל', 'עיר'],
      ['דנה', '31', 'חיפה'],
      ['יואב', '45', 'אילת'],
      ['מיכל', '28', 'עכו'],
    ]
    const lines = rows.flatMap((row, y) =>
      row.map((text, x) => ({ x: 460 - x * 150, y: 650 - y * 18, text: drawn(text), size: 11 })),
    )
    const document = await read(glyphPdf([[...pageOf([drawn('רשימת העובדים של החברה לשנה זו')]), ...lines]]))
    const table = document.blocks.find(({ kind }) => kind === 'table')
    expect(table).toMatchObject({ columns: 3, rows: 4 })
    expect('cells' in table! && table.cells.map(({ text }) => text)).toEqual(rows.flat())
  })
})

describe('characters above U+FFFF', () => {
  const line = 'Let 𝑛 be the count and 𝛼+1 the rate; the set ℝ has 𝔸𝔹 inside. Rare ideograph 𠮷野家 ends it.'

  it('are in the text where the page shows them', async () => {
    expect(textsOf(await read(glyphPdf([pageOf([line])])))).toEqual([line])
  })

  it('are in the text of a page that has nothing else', async () => {
    expect(textsOf(await read(glyphPdf([pageOf(['𐲠𐲡𐲢 𐲣𐲤𐲥'])])))).toEqual(['𐲠𐲡𐲢 𐲣𐲤𐲥'])
  })

  it('are found in packed maps and in ranges', async () => {
    const text = 'Values 𝐴𝐵𝐶 follow.'
    expect(textsOf(await read(glyphPdf([pageOf([text])], { isPacked: true, asRanges: true })))).toEqual([text])
  })

  it('private codes of a file stay what they are beside them', async () => {
    expect(textsOf(await read(glyphPdf([pageOf(['Icon \uE000 and 𝑛 here'])])))).toEqual(['Icon \uE000 and 𝑛 here'])
  })
})

it('asterisks, underscores and backslashes of a text are kept as they are', async () => {
  const text = 'Use \\SetAffiliation{n}, a*b*c and snake_case_name with 2*3 in C:\\dir\\file of *this* text.'
  expect(textsOf(await read(glyphPdf([pageOf([text])])))).toEqual([text])
})

it('dots that lead from a title to its page are no part of the text, an ellipsis is', async () => {
  const text = 'Booting the installer . . . . . . . . . . . 35 and then... the end.'
  expect(textsOf(await read(glyphPdf([pageOf([text])])))).toEqual(['Booting the installer 35 and then... the end.'])
})

it('lines at the edge of pages that differ only in a number are kept where the pages have no others', async () => {
  const pages = Array.from({ length: 6 }, (_, index) => [{ x: 72, y: 800, text: `Potato ${index + 1}` }])
  expect(textsOf(await read(glyphPdf(pages)))).toEqual(pages.map(([line]) => line!.text))
})

/** Pages of a few lines each; a part of a line may have another size and be raised. */
async function pdfOf(
  pages: readonly (readonly { y: number; parts: readonly (string | { text: string; raised: number })[] }[])[],
) {
  const pdf = new PDFDocument({ size: 'A4', margin: 0, autoFirstPage: false })
  const done = written(pdf)
  for (const lines of pages) {
    pdf.addPage().font('Helvetica')
    for (const { y, parts } of lines) {
      let x = 72
      for (const part of parts) {
        const { text, raised } = typeof part === 'string' ? { text: part, raised: 0 } : part
        pdf.fontSize(raised === 0 ? 12 : 8)
        pdf.text(text, x, raised === 0 ? y : y + 3 - raised, { lineBreak: false })
        x += pdf.widthOfString(text)
      }
    }
  }
  pdf.end()
  return done
}

it('raised and lowered digits keep numbers apart', async () => {
  const up = (text: string) => ({ text, raised: 4 })
  const down = (text: string) => ({ text, raised: -2 })
  const pdf = await pdfOf([
    [
      { y: 100, parts: ['The mass is 10', up('6'), ' kg of material and the rest is 106 kg.'] },
      { y: 160, parts: ['It rose by 25', up('12'), ' percent in 2024', up('3'), ' and by 101', down('2'), ' since.'] },
      { y: 220, parts: ['A plain line of 2024 has 1234567890 in it.'] },
    ],
  ])
  expect(textsOf(await read(pdf))).toEqual([
    'The mass is 10^6 kg of material and the rest is 106 kg.',
    'It rose by 25^12 percent in 2024^3 and by 101_2 since.',
    'A plain line of 2024 has 1234567890 in it.',
  ])
})

it('lines at the edge of pages are left out where only the number of the page differs, with a warning that names them', async () => {
  const invoices = await pdfOf(
    [1, 2, 3, 4].map((page) => [
      { y: 50, parts: [`Invoice number 2026-00${page}`] },
      { y: 130, parts: [`Amount due ${page * 111} euro for item ${page}.`] },
      { y: 770, parts: [`Total ${page * 111 + 5} euro`] },
    ]),
  )
  const kept = await read(invoices)
  expect(textsOf(kept).slice(0, 4)).toEqual([
    'Invoice number 2026-001',
    'Amount due 111 euro for item 1.',
    'Total 116 euro',
    'Invoice number 2026-002',
  ])
  expect(kept.warnings).toEqual([])
  const report = await pdfOf(
    [1, 2, 3, 4].map((page) => [
      { y: 30, parts: ['Annual report'] },
      { y: 130, parts: [`Chapter text of the part ${['one', 'two', 'three', 'four'][page - 1]!}.`] },
      { y: 810, parts: [`Page ${page + 6}`] },
    ]),
  )
  const dropped = await read(report)
  expect(textsOf(dropped)).toEqual(['one', 'two', 'three', 'four'].map((part) => `Chapter text of the part ${part}.`))
  expect(dropped.warnings).toEqual(['running lines of the pages were left out: "Annual report"'])
})

it('letters that are set apart are words', async () => {
  const pdf = new PDFDocument({ size: 'A4', margin: 60 })
  const done = written(pdf)
  pdf.font('Helvetica-Bold').fontSize(20).text('SPACED TITLE', { characterSpacing: 8 })
  pdf.moveDown().font('Helvetica').fontSize(11).text('The text below it is set as usual.')
  pdf.end()
  expect(textsOf(await read(await done))).toEqual(['SPACED TITLE', 'The text below it is set as usual.'])
})

it('items keep the number that the page shows', async () => {
  const pdf = new PDFDocument({ size: 'A4', margin: 60 })
  const done = written(pdf)
  pdf.fontSize(11).text('The rules are these, as they were in the book of the year.').moveDown()
  pdf.text('7. The list begins at seven').text('8. and goes on').end()
  expect((await read(await done)).blocks.slice(1)).toMatchObject([{ marker: '7.' }, { marker: '8.' }])
})

it('a PDF with other bytes before its head is read', async () => {
  const pdf = glyphPdf([pageOf(['The crane lifts forty tons.'])])
  expect(textsOf(await read(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), pdf])))).toEqual([
    'The crane lifts forty tons.',
  ])
})

it('a value that was filled into a form and is not drawn is kept where its field is', async () => {
  const text = 'BT /F1 12 Tf 60 700 Td (Name of the crane:) Tj 0 -60 Td (End of the form.) Tj ET'
  const form = rawPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DR << /Font << /F1 3 0 R >> >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R /Annots [6 0 R] >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (crane) /V (Ragna of Marsholm) /Rect [60 660 300 680] /P 4 0 R >>',
  ])
  expect(textsOf(await read(form))).toEqual(['Name of the crane:', 'Ragna of Marsholm', 'End of the form.'])
})

it('control characters of a font without a map are no part of the text', async () => {
  expect(textsOf(await read(glyphPdf([pageOf(['The \u000Fcrane\u0007 lifts.'])])))).toEqual(['The crane lifts.'])
})
