package loyaltypartner.pos;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as plain values: Map in the order of its fields, List, String, BigDecimal, Boolean and null. The JDK has no reader of its own, and
 * a POS gets no dependency from this client.
 */
public final class Json {
    private static final int DEPTH_MAX = 200;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** The object of a JSON text in UTF-8; null: it is none. */
    public static Map<String, Object> objectFrom(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            Json json = new Json(text);
            Object value = json.value();
            json.space();
            return json.at == text.length() ? asObject(value) : null;
        } catch (IllegalArgumentException | CharacterCodingException error) {
            return null;
        }
    }

    /** JSON in UTF-8. Throws IllegalArgumentException on a value of another kind. */
    public static byte[] bytesOf(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> asObject(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : null;
    }

    @SuppressWarnings("unchecked")
    static List<Object> asList(Object value) {
        return value instanceof List ? (List<Object>) value : null;
    }

    private Object value() {
        space();
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return list();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        open();
        if (closes('}')) return fields;
        do {
            space();
            String name = string();
            space();
            take(':');
            fields.put(name, value());
        } while (continues('}'));
        return fields;
    }

    private List<Object> list() {
        List<Object> entries = new ArrayList<>();
        open();
        if (closes(']')) return entries;
        do {
            entries.add(value());
        } while (continues(']'));
        return entries;
    }

    private void open() {
        at++;
        if (++depth > DEPTH_MAX) throw new IllegalArgumentException("nested too deeply");
    }

    private boolean closes(char end) {
        space();
        if (peek() != end) return false;
        at++;
        depth--;
        return true;
    }

    private boolean continues(char end) {
        if (closes(end)) return false;
        take(',');
        return true;
    }

    private String string() {
        take('"');
        StringBuilder out = new StringBuilder();
        for (;;) {
            char next = next();
            if (next == '"') return out.toString();
            if (next < ' ') throw new IllegalArgumentException("a control character in a string");
            out.append(next == '\\' ? escaped() : next);
        }
    }

    private char escaped() {
        char next = next();
        int place = "\"\\/bfnrt".indexOf(next);
        if (place >= 0) return "\"\\/\b\f\n\r\t".charAt(place);
        if (next != 'u' || at + 4 > text.length()) throw new IllegalArgumentException("an escape that JSON does not know");
        char unit = (char) Integer.parseInt(text.substring(at, at + 4), 16);
        at += 4;
        return unit;
    }

    private BigDecimal number() {
        int start = at;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(start, at);
        // Longer ones are no amounts, and an exponent could ask for gigabytes.
        if (digits.length() > 40 || !digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")) {
            throw new IllegalArgumentException("no number");
        }
        return new BigDecimal(digits);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw new IllegalArgumentException("no JSON");
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() {
        if (at == text.length()) throw new IllegalArgumentException("the text ends early");
        return text.charAt(at);
    }

    private char next() {
        char next = peek();
        at++;
        return next;
    }

    private void take(char wanted) {
        if (next() != wanted) throw new IllegalArgumentException("no " + wanted);
    }

    private static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            out.append(value);
        } else if (value instanceof BigDecimal) {
            out.append(((BigDecimal) value).toPlainString());
        } else if (value instanceof CharSequence) {
            writeString(value.toString(), out);
        } else if (value instanceof Map) {
            String separator = "{";
            for (Map.Entry<String, Object> field : asObject(value).entrySet()) {
                out.append(separator);
                writeString(field.getKey(), out);
                out.append(':');
                write(field.getValue(), out);
                separator = ",";
            }
            out.append(separator.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String separator = "[";
            for (Object entry : asList(value)) {
                out.append(separator);
                write(entry, out);
                separator = ",";
            }
            out.append(separator.equals("[") ? "[]" : "]");
        } else {
            throw new IllegalArgumentException(value.getClass().getName() + " has no JSON here: give Map, List, String, long, BigDecimal");
        }
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            if (unit == '"' || unit == '\\') out.append('\\').append(unit);
            else if (unit < ' ') out.append(String.format("\\u%04x", (int) unit));
            else out.append(unit);
        }
        out.append('"');
    }
}
