/*
 * A rule that separates refusals from answers, in English. An answer refuses when some clause says that what was given does not hold the answer,
 * and no clause makes a claim of its own. What a refusal may also hold: what the passages are about instead, how they were searched, an
 * apology, an offer, advice where to look. `tests/fixtures/refusals` holds labelled answers; `refused-by-rule.test.ts` prints precision and recall.
 */

const SOURCE =
  '(?:passages?|documents?|docs|contexts?|texts?|excerpts?|extracts?|sources?|snippets?|chunks?|materials?|corpus|knowledge base|search results?|results|transcript|files?|information|evidence|pages?|sections?)'
/** Texts that an answer may also be about: they count as its sources in the present tense only. */
const WORK =
  '(?:reports?|articles?|manual|leaflet|contract|letters?|minutes|log|tables?|papers?|records?|specification|documentation|story|novel|book|filing|archive|data|notes?|programme|policy|annex(?:es)?|guide|memo|entry|entries|web ?site|description|abstract|study)'
const ANY_SOURCE = `(?:${SOURCE.slice(3, -1)}|${WORK.slice(3, -1)})`

const TELL =
  '(?:answers?|says?|states?|mentions?|tells?|specif(?:y|ies)|contains?|includes?|provides?|gives?|indicates?|describes?|discuss(?:es)?|disclos(?:e|es)|reveals?|address(?:es)?|covers?|names?|identif(?:y|ies)|lists?|reports?|records?|defines?|shows?|explains?|notes?|offers?|holds?|have|has|go(?:es)? into|touch(?:es)? (?:on|upon)|refers? to|supply|supplies|allows?|permits?|make(?:s)? clear|determines?|clarif(?:y|ies)|elaborates?|talks? about|deals? with|documents?|present|suggests?)'
const TOLD =
  '(?:stated|mentioned|given|specified|disclosed|recorded|available|provided|included|named|reported|indicated|addressed|covered|defined|answered|described|discussed|told|found|listed|shown|identified|revealed|explained|present|documented|noted|supplied|contained|clear)'
const TELLING =
  '(?:answer|say|stat|mention|tell|specify|contain|includ|provid|giv|indicat|describ|discuss|disclos|reveal|address|cover|nam|identify|list|report|record|defin|show|explain|not|offer|hold|suggest|supply|clarify)ing'
/** Matches what the model was handed: an answer is not about these. */
const HANDED =
  '(?:(?:the |these |this |any of the |your )?(?:(?:given|provided|supplied|retrieved) (?:\\w+ )?(?:documents?|texts?|sources?|information|materials?|contexts?|passages?)|passages?|contexts?|excerpts?|snippets?|chunks?|search results))'
const FACT =
  '(?:information|mention|indication|reference|details?|data|answer|statement|hint|guidance|figures?|clue|record|evidence|entry|explanation|description|discussion)'
const ADVERBS =
  '(?:(?:even|ever|actually|explicitly|directly|clearly|specifically|really|itself|themselves|outright|exactly|anywhere|seem to|appear to) ){0,2}'
const MODAL = "(?:do|does) ?(?:not|n't)"

/** Passes what one of the patterns matches. They stay apart: V8 takes five times as long to compile them as one pattern, half a second a process. */
function any(...patterns: string[]): { test(text: string): boolean } {
  const each = patterns.map((pattern) => new RegExp(pattern, 'i'))
  return { test: (text) => each.some((pattern) => pattern.test(text)) }
}

/** A clause that says that the answer is not in what was given. */
const REFUSAL = any(
  // The documents do not mention; they never say; the text talks about several but never names; fails to mention.
  `\\b(?:${ANY_SOURCE}|they|it|them|which|that|these|those)\\b.{0,80}?(?:\\b${MODAL} |\\bnever |\\bfails? to )${ADVERBS}${TELL}\\b`,
  `\\b${SOURCE}\\b.{0,60}?\\bdid ?(?:not|n't) ${ADVERBS}${TELL}\\b`,
  `^(?:and |yet )?(?:${MODAL} |never )${ADVERBS}${TELL}\\b`,
  // The passage is not providing; the documents have not mentioned; none of the passages is naming.
  `\\b${SOURCE}(?: (?:provided|given|supplied|above|here))? (?:(?:is|are|was|were)(?: not|n't) |${MODAL} (?:seem|appear) to be )${ADVERBS}${TELLING}\\b`,
  `\\b${SOURCE} (?:has|have)(?: not|n't) ${ADVERBS}${TOLD}\\b`,
  `\\b(?:none|neither) of ${HANDED} (?:is|are) ${TELLING}\\b`,
  // The context lacks; the article omits; the record is silent; the report gives no reason.
  `\\b(?:${ANY_SOURCE}|they|it)\\b.{0,40}?\\b(?:lacks?|omits?|(?:is|are|remains?|stays?) silent|leaves? (?:this|it|that|the \\w+) (?:open|unanswered|unexplained)|says? (?:nothing|too little|little)|(?:holds?|hold|ha(?:s|ve)|contains?|offers?|provides?|gives?|tells?|reveals?) (?:us )?nothing)\\b`,
  `\\b(?:${ANY_SOURCE}|they|it)\\b.{0,40}?\\b(?:contains?|holds?|has|have|gives?|makes?|offers?|provides?|includes?|shows?|states?) (?:no|only an?|neither) (?!longer|more\\b)`,
  `\\b(?:lacks?|without) (?:any |the )?(?:details?|reference|mention|information)\\b`,
  `\\b(?:is|are) (?:insufficient|not (?:sufficient|enough)|too (?:little|vague))\\b.{0,20}\\bto\\b`,
  `\\b${ANY_SOURCE}\\b.{0,40}?\\bbut (?:not|nothing|never|no)\\b`,
  // None of the passages mentions; nothing in the sources; nowhere is this said.
  `\\b(?:none of|neither of|neither|no) (?:the |these |those |this |your |them\\b)? ?(?:\\w+ ){0,2}?(?:${ANY_SOURCE})?\\b.{0,30}?\\b${TELL}\\b(?!ed)`,
  `\\bno(?:thing|where)\\b.{0,12}\\b(?:in|among) (?:the |these |this |any |your )?(?:\\w+ ){0,2}${ANY_SOURCE}\\b`,
  `\\bnothing (?:(?:here|is said|relevant|on (?:it|this|that)|about)\\b)`,
  // First person.
  `\\b(?:I|we)(?: am| are| was| were|'m|'re)? (?:really |honestly |just |also )?(?:(?:do|did|could|was|were|am|are) ?(?:not|n't)|cannot|can not|can't|not|unable) ?(?:able )?(?:to )?(?:\\w+ly )?(?:know|answer|find|found|determine|tell|say|help|locate|provide|see|sure|have (?:\\w+ ){0,2}(?:information|data|access|details|knowledge)|identify|confirm|give)\\b`,
  `\\b(?:I|we) (?:found|see|saw|have|know) (?:no|nothing)\\b`,
  `\\b(?:I|we) must decline\\b`,
  `^(?:can't|cannot|can not) (?:say|tell|be (?:determined|answered|known|established|inferred))\\b`,
  // Passive, of a clause that ends there or names its source.
  `\\b(?:(?:is|are|has been|have been|remains?)(?: ?n't| not| never) ?(?:been |being )?|(?:has|have)(?:n't| not| never) been )${ADVERBS}${TOLD}(?: to (?:us|me))?(?=$| (?:anywhere|here|at all)\\b.{0,50}$| (?:in|by|from|within) (?:.{0,40}\\b)?(?:${ANY_SOURCE}|them|it|what)\\b.{0,50}$)`,
  `\\b(?:was|were) not ${ADVERBS}${TOLD} (?:in|by|from|within) ${HANDED}$`,
  `\\b(?:it|this|that) (?:is|'s) ?(?:not|n't) ${ADVERBS}${TOLD} (?:who|what|when|where|which|why|how|whether|if)\\b`,
  `\\b(?:it|that|this) (?:is|'s) ?(?:not|n't) (?:there|in (?:the|these|this) (?:\\w+ )?${ANY_SOURCE})\\b`,
  `\\b(?:unknown|undisclosed|unspecified|unclear|unexplained|unstated|unanswered|missing|absent|left (?:open|unexplained|unanswered|unsaid|out))\\b.{0,12}\\b(?:in|from|by|of) (?:the |these |this |any |your )?(?:\\w+ ){0,2}${ANY_SOURCE}\\b`,
  `^(?:this is |it is |that is )?(?:unknown|unclear|unanswerable|unspecified|not (?:found|known|${TOLD.slice(3, -1)}))(?=$|[,: ]+(?:the|in|by|from|anywhere|here)\\b)`,
  `^n/a$`,
  `^not in (?:the|these|this|your) (?:\\w+ ){0,2}${ANY_SOURCE}\\b`,
  `^(?:the )?(?:information|answer|details?|data)(?: is| was)? (?:not found|missing|unavailable|not available)\\b`,
  // There is no information; not enough information; no mention is made; no answer is possible.
  `\\bthere(?: is|'s| are| seems to be| appears to be)(?: also)? (?:no|not any|n't any|not enough|insufficient|nothing|little)(?: \\w+){0,2}? ?(?:${FACT.replace('|evidence', '')}|way to (?:know|tell|say))\\b(?! (?:desk|leak|office|system))`,
  `\\bthere ?(?:is|are)n't (?:any|enough) (?:\\w+ ){0,2}${FACT}\\b`,
  `\\bthere(?: is|'s| are) (?:no|insufficient|not enough) (?:\\w+ ){0,2}evidence (?:in|to|either)\\b`,
  `\\bthere(?: is|'s) nothing\\b.{0,20}\\b(?:in the|about|here|that would)\\b`,
  `^(?:no|not enough|insufficient|too little) (?:\\w+ ){0,2}${FACT}\\b(?! (?:desk|leak|office|system))`,
  `\\bno (?:such )?\\w+ (?:\\w+ )?(?:is|are|can be) (?:${TOLD.slice(3, -1)}|made|possible|given)(?=$| (?:of|in|by|here)\\b)`,
  `\\bno (?:idea|answer)(?=$| (?:is|can))`,
  // It cannot be determined; impossible to say.
  `\\b(?:can ?not|can't|could not) (?:therefore )?(?:reliably )?be (?:answered|determined|known|inferred|derived|established|worked out|deduced|verified)\\b`,
  `\\b(?:${SOURCE}|they|it|one|you|which|that) (?:can ?not|can't|could not) (?:therefore |thus |reliably )?(?:say|answer|tell)\\b`,
  `\\b(?:not possible|impossible) to (?:tell|say|determine|know|answer|establish|infer)\\b`,
  `\\b(?:it )?(?:is|remains) (?:unclear|uncertain) (?:from|in|who|what|whether|which|how|why|when|where)\\b`,
  `\\b(?:out|be|li)?e?s?(?:falls )?outside (?:the scope|what)\\b`,
  `\\b(?:would be|without|short of) (?:mere )?(?:speculat(?:ion|ing)|guess(?:ing|work)|a guess)\\b`,
  `\\b(?:provided|given|supplied) (?:information|context) (?:${MODAL}) allow\\b`,
)

/**
 * Every pattern of a refusal holds one of these words. Most clauses of an answer hold none, and need not wait until V8 has compiled the
 * patterns: that takes a process an eighth of a second.
 */
const REFUSAL_WORD =
  /not\b|nothing|n't|n\/a|\bno\b|\b(?:never|none|neither|nowhere|fail|lack|omit|silent|leave|left|little|only|without|insufficient|vague|unable|decline|unknown|undisclosed|unspecified|unclear|unexplained|unstated|unanswer|unavailable|uncertain|missing|absent|impossible|speculat|guess)|outside/i

/** A clause that is about the sources or the search and claims nothing; after a refusal, or with verbs that only name a topic, before it. */
const TOPIC =
  '(?:only|primarily|mainly|mostly|just|instead|solely|merely|discuss(?:es)?|describes?|focus(?:es)?|covers?|deals?|concerns?|(?:is|are|seems to be) (?:\\w+ ){0,2}about|talks?|mentions?|touch(?:es)?|refers? to|provides? (?:\\w+ ){0,2}(?:information|guidance|details)|(?:is|are) recipes|contains? meeting)'
const ABOUT_SOURCES = any(
  `\\b(?:${ANY_SOURCE}|they|it|we|what they do report)\\b.{0,40}?\\b${TOPIC}\\b`,
  `\\bthe closest (?:${ANY_SOURCE}|match)\\b`,
)
const AFTER_REFUSAL = any(
  `^(?:but |and |what )?(?:the |these |those |its |their |all |both )?(?:\\w+ ){0,2}(?:${SOURCE}|they|we)\\b.{0,40}?\\b(?:do |does )?${TELL}\\b`,
  `^it (?:only |merely |just |primarily |mainly |also |does )?(?:${TOPIC}|says|states|lists|shows)\\b`,
  `^(?:neither|none|what) `,
)
/** Every pattern of what follows a refusal holds one of these words, as with those of a refusal. */
const AFTER_WORD = new RegExp(`\\b(?:${SOURCE}|they|we)\\b|^(?:it|neither|none|what) `, 'i')
const POLITE = any(
  `^(?:(?:i am|i'm) (?:very |so )?(?:sorry|afraid)|sorry|apologies|i apologi[sz]e|unfortunately|regrettably|sadly|however|therefore|hence|thus|so|short answer|answer|note|regarding .{0,60})$`,
  `^(?:if you|please|let me|you (?:may|might|could|can) (?:want|wish|check|try|consult|find)|i (?:would|'d|can|could) (?:recommend|suggest|be|advise|only|therefore)|could you|feel free|for (?:a|more|further) |consult|to answer|as an ai|as a language model)`,
  `^(?:thank you|thanks|great question|good question)\\b`,
  `\\b(?:happy|glad) to (?:help|take|look)\\b`,
  `\\b(?:would be a good place|you need this information|other questions)\\b`,
  `^(?:i (?:looked|searched|checked|reviewed|went)|after (?:reviewing|searching|reading|checking)|my search|from what i can see|the question (?:asks|is|seeks)|to the best|as far as|based on|from the (?:given|provided)|according to the (?:given|provided)|in the (?:given|provided))`,
  `\\bonly have the (?:\\w+ )?${ANY_SOURCE}\\b`,
)

const MAX_CHARS = 6000
const MARKUP = /[*_`#>]+|^\s*[-•–]\s+|(?<=^|[.!?]\s|\n)\s*\d{1,2}[.)]\s+/gmu
const LABEL = /^(?:the )?(?:short |final |direct )?answer(?: to (?:the|this|your) question)?(?: is)?\s*:\s*/i
const ALL_QUOTED = /^\s*(["'])([^"]*)\1[.\s]*$/u
const QUOTED = /"[^"\n]{0,300}"/g

/** Splits at the ends of sentences and before conjunctions that open a statement of their own. */
const SENTENCE = /(?<=[.!?])\s+|\n+|\s*;\s+|\s+[-–]\s+/u
const CLAUSE =
  /,?\s+(?:but|however|yet),?\s+(?!(?:not|nothing|never|no|without|do|does)\b)|,\s+(?:so|which is why|although|though|because|since|as|and therefore)\s+(?!(?:well|far)\b)|,\s+and\s+(?=(?:it|he|she|they|the|its|his|her|no)\b)|\s+because\s+|:\s+/iu
const CONCESSION = /^(?:although|though|while|whilst|even though|even if)\s+([^,]{1,300}),\s*(.+)$/iu

type Kind = 'refusal' | 'beside' | 'claim'

function kindOf(clause: string, afterRefusal: boolean): Kind {
  if (REFUSAL_WORD.test(clause) && REFUSAL.test(clause)) return 'refusal'
  if (POLITE.test(clause) || ABOUT_SOURCES.test(clause)) return 'beside'
  return afterRefusal && AFTER_WORD.test(clause) && AFTER_REFUSAL.test(clause) ? 'beside' : 'claim'
}

/** The clauses of a sentence with what they are. What is conceded in front of a refusal is not a claim. */
function kindsOf(sentence: string, afterRefusal: boolean): Kind[] {
  const conceded = CONCESSION.exec(sentence)
  if (conceded !== null) {
    const [concession, main] = [kindOf(conceded[1]!, afterRefusal), kindsOf(conceded[2]!, afterRefusal)]
    return main.includes('refusal') && !main.includes('claim') ? main : [concession, ...main]
  }
  let refused = afterRefusal
  return clausesOf(sentence).map((clause) => {
    const kind = kindOf(clause, refused)
    refused ||= kind === 'refusal'
    return kind
  })
}

const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

const clausesOf = (sentence: string): string[] =>
  sentence
    .split(CLAUSE)
    .filter(hasWord)
    .map((clause) => clause.trim())

/** Returns true when a clause claims something whatever the others say, which most answers show without the patterns of a refusal. */
const claimsPlainly = (sentence: string): boolean =>
  !CONCESSION.test(sentence) &&
  clausesOf(sentence).some((clause) => !REFUSAL_WORD.test(clause) && kindOf(clause, true) === 'claim')

const plainText = (answer: string): string =>
  answer
    .slice(0, MAX_CHARS)
    .normalize('NFKC')
    .replaceAll(/[‘’]/gu, "'")
    .replaceAll(/[“”]/gu, '"')
    .replaceAll(MARKUP, '')
    .replace(LABEL, '')
    .replace(ALL_QUOTED, '$2')
    .replaceAll(QUOTED, 'QUOTED')

const ENGLISH = /\b(?:the|of|is|in|to|not|and|a|it|was|for|on|by|no|are|at|with|that|this|an|as|from|be|or)\b/i
const MIN_WORDS = 8

/** Returns true when the rule can read an answer: mostly Latin letters, and English where it is long enough to decide. */
function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  if (letters > 0 && latin < letters / 2) return false
  return text.split(/\s+/u).length < MIN_WORDS || ENGLISH.test(text)
}

/**
 * Returns true when an answer says that it cannot answer, and claims nothing besides; null for text that the rule cannot read, such as another
 * language than English. A partial answer and a refusal that a claim follows are answers.
 */
export function refusedByRule(answer: string): boolean | null {
  const text = plainText(answer)
  if (!isEnglish(text)) return null
  const sentences = text
    .split(SENTENCE)
    .map((raw) =>
      raw
        .trim()
        .replace(LABEL, '')
        .replace(/[.!?]+$/u, '')
        .trim(),
    )
    .filter(hasWord)
  if (sentences.some(claimsPlainly)) return false
  let refused = false
  for (const sentence of sentences) {
    const kinds = kindsOf(sentence, refused)
    if (kinds.includes('claim')) return false
    refused ||= kinds.includes('refusal')
  }
  return refused
}
