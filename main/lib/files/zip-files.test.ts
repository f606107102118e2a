import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { unpackZip, writeZip, ZipFileError } from './zip-files.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await temporaryFolder('zip')
  file = join(folder, 'a.zip')
})

const unpack = () => unpackZip(file, join(folder, 'out'), () => null)
const TEXTS = { 'a.txt': 'founded in 1904', 'deep/b.txt': 'The lock was opened. '.repeat(200) }

async function pack(texts: Record<string, string>): Promise<Buffer> {
  await rm(file, { force: true })
  await writeZip(
    file,
    Object.entries(texts).map(([name, text]) => ({ name, text: () => text })),
  )
  return readFile(file)
}

/** The bytes with every `from` replaced by `to`, which is as long. */
const replaced = (bytes: Buffer, from: string, to: string): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')

describe('unpackZip', () => {
  it('returns what writeZip wrote, with the checksum of each', async () => {
    await rm(file, { force: true })
    const written = await writeZip(
      file,
      Object.entries(TEXTS).map(([name, text]) => ({ name, text: () => text })),
    )
    expect(await unpack()).toEqual(written)
    expect(await readFile(join(folder, 'out/deep/b.txt'), 'utf8')).toBe(TEXTS['deep/b.txt'])
  })

  it('reads archives of other programs, with a comment and with bytes before the first entry', async () => {
    const archive = zipSync({ 'a.txt': [strToU8('stored'), { level: 0 }], 'folder/': new Uint8Array(0) })
    await writeFile(file, Buffer.concat([Buffer.from('#!/bin/sh\n'), archive]))
    expect((await unpack()).map(({ name, size_bytes }) => [name, size_bytes])).toEqual([['a.txt', 6]])
  })

  it('refuses every single flipped bit of the content or leaves it harmless, by the name of the file', async () => {
    const archive = await pack(TEXTS)
    const end = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    const contents = JSON.stringify(TEXTS)
    let refused = 0
    for (let at = 0; at < end; at += 1) {
      const damaged = Buffer.from(archive)
      damaged[at]! ^= 1 << (at % 8)
      await writeFile(file, damaged)
      await rm(join(folder, 'out'), { recursive: true, force: true })
      const outcome = await unpack().then(
        () => null,
        (error: unknown) => (error as Error).message,
      )
      if (outcome === null) {
        const read = async (name: string) => [name, await readFile(join(folder, 'out', name), 'utf8')]
        const out = Object.fromEntries(await Promise.all(Object.keys(TEXTS).map(read))) as object
        expect(JSON.stringify(out)).toBe(contents)
      } else {
        refused += 1
        expect(outcome).toMatch(/"(?:a|deep\/b)\.txt" in .*a\.zip cannot be unpacked: it is damaged \(/)
      }
    }
    expect(refused).toBeGreaterThan(40)
  })

  it('refuses a bomb by what its directory declares, before anything is written', async () => {
    const zeros = new Uint8Array(32 * 1024 * 1024)
    await writeFile(file, zipSync({ 'a.txt': strToU8('x'), 'zeros.bin': zeros }))
    await expect(unpack()).rejects.toThrow('it unpacks to more than 200 times its size')
    expect(await readdir(folder)).toEqual(['a.zip'])
  })

  it('refuses many small bombs together', async () => {
    const zeros = new Uint8Array(8 * 1024 * 1024)
    await writeFile(file, zipSync({ 'a.bin': zeros, 'b.bin': zeros, 'c.bin': zeros }))
    await expect(unpack()).rejects.toThrow('it unpacks to more than 200 times its size')
  })

  it('stops a bomb whose directory declares less than it holds', async () => {
    const archive = Buffer.from(zipSync({ 'zeros.bin': new Uint8Array(32 * 1024 * 1024) }))
    archive.writeUInt32LE(1000, archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24)
    await writeFile(file, archive)
    await expect(unpack()).rejects.toThrow('it is longer than the directory declares')
    expect((await readFile(join(folder, 'out/zeros.bin'))).length).toBeLessThan(1000)
  })

  it.each([
    ['the same name twice', (bytes: Buffer) => replaced(bytes, 'b.txt', 'a.txt'), 'the name is there twice'],
    ['no directory', (bytes: Buffer) => bytes.subarray(0, -40), 'is not a zip file, or is damaged'],
    ['no archive', () => Buffer.from('text'), 'is not a zip file, or is damaged'],
    ['nothing', () => Buffer.alloc(0), 'is not a zip file, or is damaged'],
  ])('refuses %s', async (_what, change, message) => {
    await writeFile(file, change(await pack({ 'a.txt': 'one', 'b.txt': 'two' })))
    await expect(unpack()).rejects.toThrow(message)
  })

  it('refuses entries that share their bytes', async () => {
    const archive = await pack({ 'a.txt': 'one', 'b.txt': 'two' })
    const second = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    archive.writeUInt32LE(0, second + 42)
    await writeFile(file, archive)
    await expect(unpack()).rejects.toThrow('shares bytes with another entry')
  })

  it.each([
    ['a file that is also a folder', ['a', 'a/b'], 'a/b'],
    ['a folder that is also a file', ['a/b', 'a'], 'a'],
    ['a path that is too long for a disk', ['a/'.repeat(3000) + 'b'], 'a/a/'],
  ])('refuses %s by its name', async (_what, names, refused) => {
    await writeFile(file, zipSync(Object.fromEntries(names.map((name) => [name, strToU8('x')]))))
    const refusal = await unpack().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ZipFileError)
    expect((refusal as Error).message).toContain(`"${refused}`)
  })

  it('refuses a packed size beyond the end of the file at once, instead of reading up to it', async () => {
    const archive = await pack(TEXTS)
    archive.writeUInt32LE(0xfffffff0, archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 20)
    await writeFile(file, archive)
    await expect(unpack()).rejects.toThrow(/"a.txt" in .*it is not where its directory declares/)
    expect(await readdir(folder)).toEqual(['a.zip'])
  })
})
