let namesButtons = false

/** Called once by a process whose messages are read in the panel: what helps is then a button there, because a packaged app has no command line. */
export function nameButtonsInRemedies(isPanel = true): void {
  namesButtons = isPanel
}

/** The remedy in the words of the interface that shows the message. */
export const remedyFor = (words: { panel: string; commandLine: string }): string =>
  namesButtons ? words.panel : words.commandLine
