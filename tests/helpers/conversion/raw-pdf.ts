import { deflateSync } from 'node:zlib'

/** A PDF from its objects, the catalogue first: for files that no library would write, or not in time. */
export function rawPdf(objects: readonly (string | Buffer)[]): Buffer<ArrayBuffer> {
  const parts = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let size = parts[0]!.length
  for (const object of objects) {
    offsets.push(size)
    const bytes = Buffer.concat([
      Buffer.from(`${offsets.length} 0 obj\n`),
      Buffer.from(object as string),
      Buffer.from('\nendobj\n'),
    ])
    parts.push(bytes)
    size += bytes.length
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = offsets.length + 1
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${size}\n%%EOF\n`
  parts.push(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${entries}${trailer}`))
  return Buffer.concat(parts)
}

const pageObject = (contents: number): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${contents} 0 R >>`

const head = (kids: string, count: number): string[] => [
  '<< /Type /Catalog /Pages 2 0 R >>',
  `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`,
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
]

/**
 * Many pages of print: a library would take longer to write them than we to read them. Nothing is where running heads are, as lines that are
 * alike there are taken for such.
 */
export function longPdf(pages: number, linesPerPage = 38): Buffer<ArrayBuffer> {
  const objects = Array.from({ length: pages }, (_, page) => {
    const lines = Array.from(
      { length: linesPerPage },
      (_, line) => `(Crane ${line} lifted load ${page * linesPerPage + line} from the hold.) Tj T*`,
    )
    const content = `BT /F1 11 Tf 14 TL 60 690 Td ${lines.join(' ')} ET`
    return [pageObject(5 + page * 2), `<< /Length ${content.length} >>\nstream\n${content}\nendstream`]
  })
  const kids = objects.map((_, page) => `${4 + page * 2} 0 R`).join(' ')
  return rawPdf([...head(kids, pages), ...objects.flat()])
}

/** One page whose content unpacks to so many bytes of nothing. */
export function bombPdf(unpackedBytes: number): Buffer<ArrayBuffer> {
  const packed = deflateSync(Buffer.alloc(unpackedBytes, ' '), { level: 1 })
  const stream = [`<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`, packed, '\nendstream']
  return rawPdf([...head('4 0 R', 1), pageObject(5), Buffer.concat(stream.map((part) => Buffer.from(part as string)))])
}
