import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { glyphPdf } from '../../../tests/helpers/conversion/glyph-pdf.ts'
import { readDocument } from '../work/convert-document.ts'
import type { ReadOptions } from '../work/convert-document.ts'

let cacheDir: string
beforeAll(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'rag-ladder-pdf-'))
})
afterAll(() => rm(cacheDir, { recursive: true, force: true }))

const read = (bytes: Uint8Array, options: Partial<ReadOptions> = {}) =>
  readDocument(bytes, 'file.pdf', {
    useOcr: 'auto',
    tableMode: 'fast',
    formulas: true,
    codeBlocks: true,
    cacheDir,
    tableModelDir: cacheDir,
    ...options,
  })
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

  it('a damaged text layer in a script that recognition does not know is kept, and a warning names its pages', async () => {
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
