/** Why an answering model returned no text, and what to do. `ending`: the finish reason of its reply; null where it is unknown. */
export const noAnswerText = (ending: string | null): string =>
  `the answering model returned no text: ${ending === 'length' ? 'all tokens went into its reasoning' : 'its reply is empty without its reasoning'}. Give it a higher limit of answer tokens, or less reasoning effort`
