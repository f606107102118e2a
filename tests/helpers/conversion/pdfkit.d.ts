/** Declares what the fixture writers use of pdfkit, which has no types of its own. */
declare module 'pdfkit' {
  interface TextOptions {
    width?: number
    height?: number
    columns?: number
    columnGap?: number
    lineBreak?: boolean
    characterSpacing?: number
  }
  class PDFDocument {
    constructor(options?: {
      userPassword?: string
      margin?: number
      size?: string
      autoFirstPage?: boolean
      info?: Record<string, unknown>
    })
    x: number
    y: number
    page: { width: number; height: number }
    on(event: 'data', listener: (part: Buffer) => void): this
    on(event: 'end', listener: () => void): this
    font(name: string): this
    fontSize(size: number): this
    text(text: string, options?: TextOptions): this
    text(text: string, x: number, y: number, options?: TextOptions): this
    moveDown(lines?: number): this
    heightOfString(text: string, options?: TextOptions): number
    widthOfString(text: string): number
    addPage(options?: { size?: [number, number]; margin?: number }): this
    image(source: Buffer, x: number, y: number, options?: { width?: number; height?: number }): this
    rect(x: number, y: number, width: number, height: number): this
    lineWidth(width: number): this
    stroke(): this
    end(): void
  }
  export = PDFDocument
}
