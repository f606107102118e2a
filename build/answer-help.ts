/** Prints the usage of a script and ends it where its arguments ask for help. Called before the script does anything. */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) return
  console.log(`Usage: ${usage}`)
  process.exit(0)
}
