import { describe, expect, it } from 'vitest'
import { readSealedJson, sealedJson } from './sealed-json.ts'

const VALUE = { run: 'r', mean: 0.5, names: ['Ä', '\u2028'] }
const plain = `${JSON.stringify(VALUE, null, 2)}\n`
const sealed = sealedJson(plain)

describe('a sealed JSON file', () => {
  it('is the plain one with a checksum as last field, and is read as the same value', () => {
    expect(sealed).toMatch(/^\{\n {2}"run": "r",[^]*\],\n {2}"checksum": "[0-9a-f]{8}"\n\}\n$/)
    expect(readSealedJson(sealed)).toEqual({ seal: 'intact', value: VALUE })
    expect(readSealedJson(plain)).toEqual({ seal: 'absent', value: VALUE })
    expect(readSealedJson('{"run":')).toBeUndefined()
  })

  it('keeps its seal in a checkout with other line ends', () => {
    expect(readSealedJson(sealed.replaceAll('\n', '\r\n'))?.seal).toBe('intact')
  })

  it('with any bit changed is not JSON, has a broken seal, or is without one', () => {
    const bytes = Buffer.from(sealed)
    const field = bytes.indexOf('"checksum"')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const damaged = Buffer.from(bytes)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      const read = readSealedJson(damaged.toString('utf8'))
      // Without the field's name there is no seal; what came before it is what was written, beside a field of another name.
      if (read?.seal === 'absent') {
        expect(bit >> 3).toBeGreaterThan(field)
        expect(read.value).toMatchObject(VALUE)
      } else if (bit >> 3 < bytes.length - 1) expect([undefined, 'broken']).toContain(read?.seal)
    }
  })
})
