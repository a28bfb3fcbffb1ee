"""Counting and naming words in every script, spaced or not."""

import re
import unicodedata
from collections.abc import Iterator

UNSPACED = "぀-ヿ㐀-䶿一-鿿\uf900-\ufaff\uff66-\uff9f฀-๿຀-໿ក-៿က-႟"
"""Character ranges of scripts that write no space between words: Japanese, Chinese, Thai, Lao, Khmer, Burmese."""

MARKS_A_WORD = 4
"""Marks between spaces that weigh as much as a word."""

_UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")
MARKS = "".join(chr(code) for code in range(0x300, 0x1D00) if unicodedata.category(chr(code)).startswith("M"))
"""Accents and vowel signs: part of the word they stand in, though no letters."""
_WORD = re.compile(r"\w+")
_MARKED_WORD = re.compile(rf"\w[\w{MARKS}]*")
_TERM = re.compile(rf"[{UNSPACED}]+|[^\W_](?:[^\W_]|[{MARKS}])*(?:['’\-](?:[^\W_]|[{MARKS}])+)*")

_ENGLISH = """a about above after again all almost also although always am among an and any are as at away be became
because been before being below between both but by came can cannot come could did do does doing done down during each
either else enough even ever every few first for from further get gets give given go goes going got had has have having
he her here hers him his how however i if in instead into is it its itself just keep kept know last least less let like
made make makes many may me might mine more most much must my myself near need needs neither never next no nor not now
of off often on once one only onto or other others our ours out over own per perhaps put quite rather really said same
say says see seem seems several shall she should since so some something soon still such sure take taken than that the
their theirs them then there these they thing things this those though three through thus to together too toward two
under unless until up upon us use used uses using usually very via want was way we well went were what when where whether
which while who whom whose why will with within without would yes yet you your yours okay yeah um uh right it's that's
don't we're i'm let's you're we've i've they're there's can't won't isn't doesn't didn't we'll i'll you'll"""
_GERMAN = """aber alle allem allen aller alles als also am an auch auf aus bei beim bereits bin bis da dabei dadurch damit
dann das dass dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort durch ein eine einem
einen einer eines er es etwa etwas für gegen hat haben hatte hier ihm ihn ihr ihre ihrem ihren ihrer im immer in ins ist
jede jedem jeden jeder jedes jedoch kann kein keine keinen können man mehr mit muss müssen nach nicht noch nun nur ob
oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sollte sollten sondern sowie über um und uns
unser unsere unter vom von vor war waren was weil welche wenn werden wer wie wieder wir wird wo wurde wurden zu zum zur
zwischen"""
_ROMANCE = """à al alla alle au aux avec aunque bien c'est car ce ces cet cette che chez ci com como con cosa cuando da dal
dalla dans das de degli dei del della delle dello des desde do donc donde dont dos du e ed el elle elles em en entre era
es esa ese eso esta está estado estas este esto estos et est être eu foi fue gli ha hay i il ils isso já je l la là las
le les leur leurs lo los lui mais mas más me mesmo mi mit muy na nas ne nei nel nella no non nos nous o où os ou para par
pas pero però più plus por porque pour qu que quel quelle quando qui quindi sa sans são se sem ser ses si sin sobre solo
son sono sont sous su sua sue sul sulla sur também tanto te todo todos tous tout toute toutes très tra tu um uma un una
une uno uns vous y ya"""
_DUTCH = """aan al als bij dat de deze die dit door een en er heb heeft het hun ik in is je kan maar met mijn naar niet nog nu
of om onder ook op over te toch tot uit van veel voor waar was wat we wel werd wij worden wordt zal ze zich zij zijn zo"""

_NORDIC = """alla att av blev blir den denna deras dess detta din du där efter ej eller enn ett ettersom fra från för før
han har henne hon hur hvad hver hvis hvor här ikke inte jag jeg kunde kunne man med meget mellan mellem mycket
måste nu när nær och også också og om på sedan selv sig skal ska som så till til under upp ut utan uten var vara varit vi
vil ville vid være været än är år"""
_RUSSIAN = """а без бы был была были было быть в вам вас весь во вот все всего всех всю вы где да даже для до его ее если есть
еще же за здесь и из или им их к как ко когда который которые которая кто ли либо между мне может можно мой мы на над
надо нам нас наш не него нее ней нет нибудь ни них но ну о об однако он она они оно от очень по под после при с сам свой
себя со так также такой там те тем теперь то того тоже только том тот ту ты у уже хотя чего чем что чтобы эта эти это
этого этой этом этот я або але був була були від він вона вони де для до його її їх коли ми на над не ні про та так те
ти то у це цей що як який"""
_POLISH = """aby albo bardzo bez bo być był była było były będzie by ci co czy dla dlatego do gdy gdzie go ich im inny i ja
jak jako jego jej jest jeszcze jeśli już kiedy kto która które który lub mi między mnie może można musi na nad nam nas nie
niż o od on ona oni ono oraz po ponieważ poza przed przez przy się są ta tak także tam te tego tej ten też to tu ty tylko
tym w we więc wszystko z za ze że"""
_TURKISH = """ama ancak bazı bir biri biz bu bunu bunun çok çünkü da daha de değil diye en gibi göre hem hep her hiç için ile
ise kadar ki mi mı mu nasıl ne neden o olan olarak oldu olduğu olur onu onun sadece sen siz şey şu ve veya ya yani"""
_ARABIC = """في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما لا لم لن إن أن إذا قد كان كانت يكون تكون هو هي هم نحن
أنا أنت كل بعض بين عند عندما بعد قبل حتى ثم أو أم بل لكن لأن كما حيث غير منذ فإن فقد ليس أي هناك هنا"""
_HINDI = """और का की के को में से पर है हैं था थी थे यह वह ये वे इस उस एक ने भी तो ही कि जो या नहीं कर करने करना किया गया
गई गए हो होता होती होते लिए साथ अपने बाद तक जब तब कुछ"""

STOPWORDS = frozenset(
    " ".join((_ENGLISH, _GERMAN, _ROMANCE, _DUTCH, _NORDIC, _RUSSIAN, _POLISH, _TURKISH, _ARABIC, _HINDI)).split()
)
"""Function words that never name a topic, lower case."""


def count_words(text: str) -> int:
    """How many words ``text`` holds. Where no spaces part them, two characters count as a word."""
    if text.isascii():
        return len(_WORD.findall(text))
    unspaced = len(_UNSPACED_CHAR.findall(text))
    if not unspaced:
        return len(_MARKED_WORD.findall(text))
    return (unspaced + 1) // 2 + len(_MARKED_WORD.findall(_UNSPACED_CHAR.sub(" ", text)))


def size_of(text: str) -> int:
    """Its words; more where marks alone make it long, as the bars of a table with few filled cells do."""
    return max(count_words(text), len(text.split()) // MARKS_A_WORD)


def is_unspaced(text: str) -> bool:
    """Whether most letters of ``text`` belong to a script without spaces between words."""
    if text.isascii():
        return False
    letters = sum(1 for char in text if char.isalpha())
    return letters > 0 and len(_UNSPACED_CHAR.findall(text)) * 2 > letters


def terms(text: str) -> Iterator[str]:
    """The words that carry meaning, case folded; pairs of neighbouring characters in scripts without spaces."""
    for match in _TERM.finditer(text):
        term = match.group()
        if _UNSPACED_CHAR.match(term):
            yield from (term[at : at + 2] for at in range(max(1, len(term) - 1)))
            continue
        term = term.casefold()
        if len(term) > 1 and term not in STOPWORDS:
            yield term


def shorten(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, cut between words where it has any, with an ellipsis when cut."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    if space > limit // 2:
        head = head[:space]
    return head.rstrip(" ,;:.-–—、，") + "…"
