/** A manifest that cannot be used. Each problem names its field path; nothing was called or written. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
  readonly code = 'manifest_invalid'
  readonly file: string
  readonly problems: string[]

  constructor(file: string, problems: string[], cause?: unknown) {
    super(`${file} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, { cause })
    this.file = file
    this.problems = problems
  }
}
