import { chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { writePptx } from '../../../tests/helpers/conversion/writers.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { toMarkdown } from '../export/markdown.ts'
import { readDoc, readPpt } from './legacy-office.ts'
import { readDocx } from './docx.ts'
import { findLibreOffice, modernize } from './libreoffice.ts'
import { listenLocally } from '../../../tests/helpers/local-server.ts'

const paper = (name: string): Promise<Buffer> => readFile(join(PROJECT_ROOT, 'corpus', 'mixed_formats', name))

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('office-test')
})
afterEach(() => vi.unstubAllEnvs())

/** A program in LibreOffice's place that notes how it was called and, when it has something to give, puts it where it is looked for. */
async function fakeOffice(gives: Buffer | null): Promise<string> {
  const program = join(folder, 'soffice')
  const given = join(folder, 'given')
  if (gives !== null) await writeFile(given, gives)
  await writeFile(
    program,
    `#!/bin/sh
echo "$@" > '${folder}/called'
profile=$(echo "$1" | sed 's|-env:UserInstallation=file://||')
{ cat "$profile/user/registrymodifications.xcu"; echo "proxy:$http_proxy"; } > '${folder}/called-with'
while [ $# -gt 1 ]; do
  case "$1" in --convert-to) to=$2 ;; --outdir) out=$2 ;; esac
  shift
done
[ -f '${given}' ] || exit 1
mkdir -p "$out" && cp '${given}' "$out/input.$to"
`,
  )
  await chmod(program, 0o755)
  vi.stubEnv('LIBREOFFICE_PATH', program)
  return join(folder, 'called')
}

describe('without LibreOffice', () => {
  beforeEach(() => {
    vi.stubEnv('LIBREOFFICE_PATH', '/nowhere/soffice')
  })

  it('reads the texts, tables, notes and pages of a slide show, and names what would read more', async () => {
    expect(await findLibreOffice()).toBeNull()
    const show = await readPpt(await paper('tug-briefing.ppt'))
    expect([show.sourceFormat, show.pages]).toEqual([
      'ppt',
      [1, 2].map((number) => ({ number, widthPt: 720, heightPt: 405 })),
    ])
    expect(toMarkdown(show)).toBe(
      [
        'Tug briefing',
        'Duties of the tugs',
        'The harbour master calls the tugs of Marsholm on channel 12.',
        '| Tug | Bollard pull (t) | Skipper |\n| --- | --- | --- |\n| Ragna | 48 | Hanne Lysgaard |\n| Torvald | 62 | Emil Brekke |\n| Yrsa | 35 | Nils Ostby |',
        'Only the Torvald may push within the lock.\n',
      ].join('\n\n'),
    )
    expect(show.blocks.map(({ place }) => place!.page)).toEqual([1, 2, 2, 2, 2])
    expect(show.warnings).toEqual(['read without pictures, bullets and charts: LibreOffice is not installed here'])
  })

  it('reads a Word file as plain text and reports it', async () => {
    const memo = await readDoc(await paper('dredging-memo.doc'))
    expect(memo.blocks.map((block) => 'text' in block && block.text.slice(0, 24))).toEqual([
      'Memorandum on dredging',
      'Contract',
      'The contract for dredgin',
    ])
    expect(memo.warnings).toEqual([
      'read as plain text, without headings, tables, pictures and text in frames: LibreOffice is not installed here',
    ])
  })

  it.each([['tug-briefing.ppt', readPpt] as const, ['dredging-memo.doc', readDoc] as const])(
    'refuses a torn %s as damaged, or reads what is left of it',
    async (name, read) => {
      const whole = await paper(name)
      for (const share of [0.02, 0.3, 0.9])
        await read(whole.subarray(0, Math.floor(whole.length * share))).catch((error: unknown) =>
          expect(error).toMatchObject({ name: 'ConversionError', code: 'damaged' }),
        )
      await expect(read(whole.subarray(0, 600))).rejects.toMatchObject({ code: 'damaged' })
    },
  )

  it('a Word file whose sectors name each other in a circle is refused before it is read', async () => {
    const bytes = Buffer.from(await paper('dredging-memo.doc'))
    const tableAt = (bytes.readUInt32LE(0x4c) + 1) * 512
    const directory = bytes.readUInt32LE(0x30)
    const other = directory === 0 ? 1 : 0
    bytes.writeUInt32LE(other, tableAt + directory * 4)
    bytes.writeUInt32LE(directory, tableAt + other * 4)
    await expect(readDoc(bytes)).rejects.toMatchObject({
      code: 'damaged',
      message: 'the Word document cannot be read: its sectors refer to each other in a circle',
    })
  })

  it('an encrypted Word file is refused with the sentence about its password', async () => {
    const bytes = Buffer.from(await paper('dredging-memo.doc'))
    const head = bytes.indexOf(Buffer.from([0xec, 0xa5]), 512)
    bytes.writeUInt16LE(bytes.readUInt16LE(head + 10) | 0x0100, head + 10)
    await expect(readDoc(bytes)).rejects.toMatchObject({
      code: 'encrypted',
      message: 'the document is encrypted: remove its password and send it again',
    })
  })

  it('does not follow edits in a circle', async () => {
    const bytes = Buffer.from(await paper('tug-briefing.ppt'))
    const edit = bytes.indexOf(Buffer.from([0x00, 0x00, 0xf5, 0x0f, 0x1c, 0x00, 0x00, 0x00]))
    expect(edit).toBeGreaterThan(0)
    // The last edit names itself as the one before.
    const current = bytes.indexOf(Buffer.from([0x5f, 0xc0, 0x91, 0xe3]))
    bytes.copy(bytes, edit + 8 + 8, current + 4, current + 8)
    expect((await readPpt(bytes)).pages).toHaveLength(2)
  })
})

describe('with LibreOffice', () => {
  it('has it write the new format, in a profile of its own, and reads that', async () => {
    const table = [
      ['Tug', 'Skipper'],
      ['Yrsa', 'Nils Ostby'],
    ]
    const called = await fakeOffice(
      await writePptx({ title: 'Tugs', sections: [{ heading: 'Duties', paragraphs: ['Tow.'], table }] }),
    )
    const show = await readPpt(await paper('tug-briefing.ppt'))
    expect([show.sourceFormat, show.warnings]).toEqual(['ppt', []])
    expect(toMarkdown(show)).toContain('## Duties\n\nTow.\n\n| Tug | Skipper |')
    expect(await readFile(called, 'utf8')).toMatch(
      /^-env:UserInstallation=file:\S+ --headless --norestore --convert-to pptx --outdir \S+ \S+input\.ppt\n$/,
    )
  })

  it('is called in a profile that follows no links and has no way to the network', async () => {
    const called = await fakeOffice(await writePptx({ title: 'Tugs', sections: [] }))
    await readPpt(await paper('tug-briefing.ppt'))
    const [settings, proxy] = (await readFile(`${called}-with`, 'utf8')).split('proxy:')
    expect(settings).toContain('"BlockUntrustedRefererLinks" oor:op="fuse"><value>true<')
    expect(settings).toContain('"ooInetHTTPProxyPort" oor:op="fuse"><value>9<')
    expect(proxy!.trim()).toBe('http://127.0.0.1:9')
  })

  it('takes a file that it gives nothing back for as damaged', async () => {
    await fakeOffice(null)
    await expect(readDoc(await paper('dredging-memo.doc'))).rejects.toMatchObject({
      code: 'damaged',
      message: 'LibreOffice cannot read the DOC file',
    })
  })
})

const OFFICE = await findLibreOffice({ ...process.env, LIBREOFFICE_PATH: '' })

const linkedPicture = (address: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:body><office:text><text:p>The text of the memo.</text:p><text:p><draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char">
<draw:image xlink:href="${address}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p></office:text></office:body>
</office:document>`

describe.skipIf(OFFICE === null)('with the LibreOffice of this machine', () => {
  it.each([
    ['without a network of its own', true],
    ['by its settings alone', false],
  ])(
    'a linked picture of a Word file is not fetched: %s',
    async (_, mayIsolate) => {
      const asked: string[] = []
      const canary = await listenLocally(
        createServer((request, response) => {
          asked.push(`${request.method!} ${request.url!}`)
          response.end()
        }),
      )
      onTestFinished(() => canary.close())
      const address = `${canary.url}/linked.png`
      // LibreOffice goes by the content; of the formats that it opens, this is the one to write by hand.
      const memo = Buffer.from(linkedPicture(address))
      const docx = await modernize(OFFICE!, memo, 'doc', 'docx', mayIsolate)
      expect(toMarkdown(await readDocx(docx))).toContain('The text of the memo.')
      expect(asked).toEqual([])
    },
    60_000,
  )
})
