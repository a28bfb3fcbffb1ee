import pytest

from wiki.errors import UnsupportedFormat
from wiki.parsing.encoding import decode, decode_html, detect_encoding

GERMAN = "Die Straße führt über die Brücke nach München; das Café kostet 4,50 €.\n"
FRENCH = "L’été dernier, Noël à la plage : « déjà vu », dit-elle à l’élève.\n"
SPANISH = "¿Qué mañana? ¡La niña comió un piñón en el jardín!\n"
POLISH = "Zażółć gęślą jaźń; źdźbło trawy rośnie wśród łąk nad rzeką.\n"
RUSSIAN = "Наш поезд отходит рано утром, и мы ждём его на платформе.\n"
JAPANESE = "会議は来週の月曜日に行います。資料を確認してください。\n"
CHINESE = "我们明天上午在学校开会，请大家准时参加。\n"
TAIWANESE = "我們明天上午在學校開會，請大家準時參加。\n"
KOREAN = "내일 아침에 회의가 있습니다. 모두 참석해 주세요.\n"
ARABIC = "يصل القطار إلى المدينة في الساعة السابعة صباحا.\n"
HEBREW = "הרכבת מגיעה לעיר בשעה שבע בבוקר.\n"
GREEK = "Το τρένο φτάνει στην πόλη στις επτά το πρωί.\n"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        (SPANISH, "cp1252"),
        (POLISH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "cp866"),
        (RUSSIAN, "koi8_r"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
        (KOREAN, "cp949"),
        (ARABIC, "cp1256"),
        (HEBREW, "cp1255"),
        (GREEK, "cp1253"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-16"),
        (RUSSIAN, "utf-8-sig"),
        (JAPANESE, "utf-32"),
    ],
)
def test_text_in_a_legacy_encoding_is_read_right(text: str, codec: str) -> None:
    assert decode(text.encode(codec), "a.txt") == text


def test_the_whole_file_decides_not_its_first_part() -> None:
    text = "plain ascii line\n" * 5_000 + "Zürich, naïve, 東京\n"
    assert decode(text.encode(), "a.txt") == text
    late = "plain ascii line\n" * 5_000 + SPANISH
    assert decode(late.encode("cp1252"), "a.txt") == late


def test_a_page_is_read_by_its_declaration_only_when_that_fits() -> None:
    page = '<meta charset="{}"><p>' + RUSSIAN
    assert RUSSIAN in decode_html(page.format("koi8-r").encode("koi8-r"), "a.html")
    assert RUSSIAN in decode_html(page.format("iso-8859-5").encode(), "a.html")
    assert ARABIC in decode_html(('<meta charset="utf-8"><p>' + ARABIC).encode("cp1256"), "a.html")


def test_bytes_no_encoding_fits_are_refused() -> None:
    with pytest.raises(UnsupportedFormat, match="UTF-8"):
        decode(bytes((number * 89 + 7) % 128 + 128 for number in range(400)), "a.txt")


def test_a_detected_codec_always_decodes() -> None:
    for text in (GERMAN, JAPANESE, GREEK):
        for codec in ("utf-8", "utf-16"):
            assert text.encode(codec).decode(detect_encoding(text.encode(codec), "a.txt"))
